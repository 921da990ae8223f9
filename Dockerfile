# Builds the library or vault that is mounted at /work:
#
#     docker build --tag kismet-build .
#     docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/work" kismet-build build content --out public
#
# The output folder must be inside the mounted one: a new tree takes the place of the old one as a whole.
FROM python:3.12-slim

WORKDIR /src
COPY .ci/requirements.txt .ci/requirements.txt
RUN pip install --no-cache-dir --require-hashes --requirement .ci/requirements.txt
COPY pyproject.toml README.md LICENSE ./
COPY kismet_build kismet_build
COPY schemas schemas
COPY site site
COPY content content
RUN pip install --no-cache-dir --no-deps --no-build-isolation .

# Whatever user runs it has a cache, which ends with the container.
ENV KISMET_CACHE=/tmp/kismet
WORKDIR /work
ENTRYPOINT ["kismet"]
CMD ["build", ".", "--out", "public"]
