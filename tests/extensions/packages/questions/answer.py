"""Answer questions from a data package for Python: `python answer.py PACKAGE`, a JSON list on standard input."""

import importlib
import json
import re
import sys

SMALL_WORDS = {
    *("a", "against", "an", "and", "am", "are", "at", "be", "can", "do", "does", "for", "from", "get", "had", "has"),
    *("have", "how", "i", "if", "in", "is", "it", "its", "long", "many", "may", "me", "much", "my", "of", "on", "or"),
    *("that", "the", "there", "this", "to", "was", "were", "what", "when", "where", "which", "who", "why", "with"),
    *("you", "your"),
}
data = importlib.import_module(sys.argv[1])
pack = data.load()

entries = {entity["id"]: entity for entities in pack["entities"].values() for entity in entities}
entries |= {section["id"]: section for section in pack["sections"] if not section["entities"]}
words_of = {id: {*re.findall(r"[^\W_]+", data.fold(data.text_of(entry)))} for id, entry in entries.items()}
for name, ids in data.names().items():
    for id in ids:
        words_of.get(id, set()).update(name.split())


def answer(question: str) -> list[str]:
    """The id and the text of the entry with most words of the question; its name counts as another word."""
    words = [word for word in (word.strip("?.,!") for word in data.fold(question).split()) if word]
    runs = {" ".join(words[start:end]) for start in range(len(words)) for end in range(start + 1, len(words) + 1)}
    named: dict[str, tuple[int, int]] = {}
    for run in runs:
        for position, id in enumerate(data.names().get(run, ())):
            named[id] = max(named.get(id, (0, 0)), (len(run), -position))
    content = {*words} - SMALL_WORDS

    def rank(id: str) -> tuple[int, bool, tuple[int, int]]:
        kind = pack["kinds"].get(entries[id].get("kind", ""))
        of_kind = kind is not None and (data.fold(kind["title"]) in runs or data.fold(kind["plural"]) in runs)
        return len(content & words_of[id]) + (id in named), of_kind, named.get(id, (0, 0))

    best = max(sorted(entries), key=rank)
    return [best, data.text_of(entries[best])]


print(json.dumps([answer(question) for question in json.load(sys.stdin)]))
