"""Properties of every row of the table of privacy: some keep a text private, and some do not."""

from kismet_build.config.privacy import Row

HIDING = {
    Row.PUBLISH: (
        *(
            "publish: false",
            "publish: No",
            "publish: 'FALSE'",
            "publish: off",
            "publish: 0",
            "publish: n",
            "publish: never",
        ),
        *(
            "publish: [false]",
            "publish: flase",
            "publish: maybe",
            "publish: [a, b]",
            "publish: {a: b}",
            "publish: 2999-01-01",
        ),
        *("publish: nein", "publish: jamais", "publish: нет", "publish: ❌", "dg-publish: false", "dg_publish: no"),
        *("Publish: false", "cover: {publish: false}", "a: {b: [{publish: no}]}"),
    ),
    Row.DRAFT: (
        *(
            "draft: true",
            "draft: Yes",
            "draft: '1'",
            "draft: 1",
            "draft: y",
            "draft: [true]",
            "draft: ture",
            "draft: flase",
        ),
        *("draft: soon", "draft: [a, b]", "draft: {a: b}", "draft: ja", "draft: yes until May", "meta: {draft: true}"),
    ),
    Row.PUBLIC: (
        *("published: false", "public: no", "share: never", "published: fales", "public: [no]", "share: 0"),
        *("published: no, not yet", "public: non"),
    ),
    Row.PRIVATE: (
        *("private: true", "hidden: yes", "unpublished: on", "private: treu", "hidden: [true]", "unpublished: 1"),
        *("private: yes (until session 9)", "hidden: oui"),
    ),
    Row.STATE: ("status: draft", "visibility: Private", "access: unpublished", "status: [draft]"),
}
PUBLISHING = {
    Row.PUBLISH: (
        "publish: true",
        "publish:",
        "publish: ''",
        "publish: []",
        "publish: ~",
        "publish: 1999-01-01",
        "publish: ja",
    ),
    Row.DRAFT: (
        *("draft: false", "draft:", "draft: no", "draft: 3", "draft: 3 m", "draft: 0.5", "draft: d6", "draft: 2d6+1"),
        *("draft: '[[Deep Water]]'", "draft: shallow when loaded", "draft: ~3 fathoms", "draft: 1/2"),
    ),
    Row.PUBLIC: (
        "public: true",
        "published: Paizo, 2019",
        "share: 1/3",
        "published: 2019",
        "published:",
        "share: half",
    ),
    Row.PRIVATE: (
        "private: 3",
        "hidden: 60 ft",
        "private: false",
        "hidden: no",
        "unpublished:",
        "cover: {hidden: true}",
    ),
    Row.STATE: ("status: hidden", "status: wip", "visibility: 2 miles", "access: by boat", "notes: {status: draft}"),
}
"""For each row, properties that keep a text private, and properties that do not."""
