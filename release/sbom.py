"""Write the software bill of materials of a release in CycloneDX JSON: `python -m release.sbom FOLDER`.

The SBOM lists the dependencies of the installed package, from the lock file, and the fonts shipped with the website.
"""

import json
import os
import sys
import tomllib
from base64 import b64decode
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version as installed_version
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.tool import ToolRepository
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

from kismet_build import __version__
from release.lock_file import PROJECT, ROOT, LockedPackage, runtime_packages

FONTS = "@expo-google-fonts"
"""The scope of the npm packages whose fonts are in `site/assets/fonts`."""


def bill_of_materials() -> Bom:
    """Return the SBOM. Its time is `SOURCE_DATE_EPOCH`, so that it is reproducible."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    main = Component(
        name=project["name"],
        version=__version__,
        type=ComponentType.APPLICATION,
        description=project["description"],
        licenses=[LicenseFactory().make_from_string(project["license"])],
        purl=PackageURL("pypi", None, project["name"], __version__),
        bom_ref=project["name"],
    )
    packages = runtime_packages()
    components = {name: _component(package) for name, package in packages.items()}
    fonts = [*_fonts()]
    epoch = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), UTC)
    writer = Component(name="cyclonedx-python-lib", version=installed_version("cyclonedx-python-lib"))
    bom = Bom(
        components=[*components.values(), *fonts],
        metadata=BomMetaData(component=main, timestamp=epoch, tools=ToolRepository(components=[writer])),
        serial_number=uuid5(NAMESPACE_URL, f"{main.purl}#{epoch.timestamp():.0f}"),
    )
    bom.register_dependency(main, [components[name] for name in packages if PROJECT in packages[name].required_by])
    bom.register_dependency(main, fonts)
    for name, component in components.items():
        bom.register_dependency(
            component, [components[other] for other in packages if name in packages[other].required_by]
        )
    return bom


def _component(package: LockedPackage) -> Component:
    purl = PackageURL("pypi", None, package.name, package.version)
    hashes = [HashType(alg=HashAlgorithm.SHA_256, content=digest) for digest in package.hashes]
    return _library(package.name, package.version, purl, hashes)


def _fonts() -> Iterator[Component]:
    lock = json.loads((ROOT / ".ci/package-lock.json").read_text(encoding="utf-8"))
    for place, package in lock["packages"].items():
        scope, _, name = place.removeprefix("node_modules/").partition("/")
        if scope == FONTS:
            digest = b64decode(package["integrity"].removeprefix("sha512-")).hex()
            purl = PackageURL("npm", scope, name, package["version"])
            hashes = [HashType(alg=HashAlgorithm.SHA_512, content=digest)]
            yield _library(name, package["version"], purl, hashes, group=scope, licence="OFL-1.1")


def _library(
    name: str, version: str, purl: PackageURL, hashes: list[HashType], *, group: str | None = None, licence: str = ""
) -> Component:
    archives = ExternalReference(
        type=ExternalReferenceType.DISTRIBUTION,
        url=XsUri(str(purl)),
        hashes=hashes,
        comment="the archives of this version",
    )
    return Component(
        name=name,
        version=version,
        group=group,
        purl=purl,
        bom_ref=str(purl),
        licenses=[LicenseFactory().make_from_string(licence)] if licence else [],
        external_references=[archives],
    )


def main() -> None:
    """Write the SBOM to the folder given on the command line."""
    (folder,) = sys.argv[1:]
    text = JsonV1Dot6(bill_of_materials()).output_as_string(indent=1)
    if problem := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise SystemExit(f"the bill of materials is not valid: {problem.data.message}")
    (Path(folder) / f"kismet_build-{__version__}.cdx.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
