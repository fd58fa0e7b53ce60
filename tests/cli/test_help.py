"""What --help says can be read alone: sentences, of at most 25 words, with examples before the options."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from neonsim import cli
from neonsim.cli.options import EXAMPLES
from neonsim.cli.words import WORDS

WORDS_OF_A_SENTENCE = 25


def commands(parser: argparse.ArgumentParser, path: str = "neonsim"
             ) -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    """Every command below one: its words, its line of help, its parser."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            said = {choice.dest: str(choice.help) for choice in action._choices_actions}
            for name, below in action.choices.items():
                yield f"{path} {name}", said[name], below
                yield from commands(below, f"{path} {name}")


def faults(text: str) -> list[str]:
    """What is wrong with some sentences."""
    found = [] if re.match(r"[A-Z]", text) else ["does not begin as a sentence"]
    found += [] if text.endswith(".") else ["does not end as a sentence"]
    return found + [f"{len(one.split())} words: {one}" for one in re.split(r"(?<=[a-z)\d]\.) ", text)
                    if len(one.split()) > WORDS_OF_A_SENTENCE]


def test_every_command_and_option_is_a_sentence() -> None:
    wrong = []
    for path, said, parser in commands(cli.parser()):
        wrong += [f"{path}: {fault}" for fault in faults(said)]
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction | argparse._HelpAction):
                continue
            name = action.option_strings[-1] if action.option_strings else action.dest
            wrong += [f"{path} {name}: {fault}" for fault in faults(str(action.help or ""))]
    assert not wrong, "\n".join(wrong)


def test_examples_come_first() -> None:
    for path, said, parser in commands(cli.parser()):
        text = parser.format_help()
        assert text.index(said) < text.index(f"\n{EXAMPLES}:\n  ") < text.index("\noptions:\n"), path


def test_the_table_of_commands_is_sentences() -> None:
    assert not {name: found for name, entry in WORDS.items() if (found := faults(entry.help))}
