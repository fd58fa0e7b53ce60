"""`neonsim completion`: what a shell needs to complete commands, options, and names of kernels and cores."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from neonsim.course import tasks
from neonsim.graph import MODELS
from neonsim.timing import cores
from neonsim.ukernel import contracts, kernels

from .options import command, print_json

__all__ = ["add_commands", "script"]

SETUP = """
For this shell, and in its start-up file for all that come:
  bash   eval "$(neonsim completion bash)"                                  ~/.bashrc
  zsh    eval "$(neonsim completion zsh)"      (after compinit)             ~/.zshrc
  fish   neonsim completion fish | source                                   ~/.config/fish/config.fish
The names of kernels and cores are those of the day the line was run.
"""
# What the value of an option, or a word, can be: by what --help calls it. Where it can be several, they have bars.
KINDS = {"KERNEL": "@kernels", "CORE": "@cores", "CORES": "@cores", "CONTRACT": "@contracts", "FILE": "@files",
         "FOLDER": "@folders", "PROGRAM": "@kernels|@files", "NETWORK": "@networks", "WORD": "@exercises|@files"}


@dataclass(frozen=True)
class _Command:
    """A command as a shell sees it. Values of options and words: names of KINDS with bars, or the words themselves."""

    path: tuple[str, ...]
    options: dict[str, str]             # option -> kinds or words of its value, "" for one that takes none
    words: str
    help: dict[str, str]


def add_commands(commands: Any) -> None:
    parser = command(commands, "completion", "print what makes a shell complete neonsim's commands and names",
                     'eval "$(neonsim completion bash)"', SETUP)
    parser.add_argument("shell", choices=sorted(SHELLS))
    parser.set_defaults(run=_completion)


def _completion(options: argparse.Namespace) -> int:
    text = script(options.shell)
    if options.json:
        print_json({"shell": options.shell, "script": text})
    else:
        print(text, end="")
    return 0


def script(shell: str) -> str:
    """The text that a shell (bash, zsh, fish) reads."""
    from . import parser

    return SHELLS[shell](list(_commands(parser(), ())), {
        "@kernels": list(kernels().names), "@cores": [*cores(), "all"], "@contracts": [c.name for c in contracts()],
        "@exercises": [task.name for task in tasks()], "@networks": list(MODELS)})


def _commands(parser: argparse.ArgumentParser, path: tuple[str, ...]) -> Iterator[_Command]:
    options: dict[str, str] = {}
    words: list[str] = []
    texts: dict[str, str] = {}
    below: list[_Command] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            words += action.choices
            texts |= {str(choice.dest): choice.help or "" for choice in action._choices_actions}
            below += [one for name, sub in action.choices.items() for one in _commands(sub, (*path, name))]
        elif not action.option_strings:
            words += _values(action)
        else:
            takes = "" if action.nargs == 0 else "|".join(_values(action)) or "-"
            options |= dict.fromkeys(action.option_strings, takes)
            texts |= dict.fromkeys(action.option_strings, (action.help or "").split(";")[0])
    yield _Command(path, options, "|".join(words), texts)
    yield from below


def _values(action: argparse.Action) -> list[str]:
    if action.choices is not None:
        return [str(choice) for choice in action.choices]
    named = str(action.metavar or action.dest).upper().split("|")
    return [kind for name in named for kind in KINDS.get(name, "").split("|") if kind]


# ---- bash and zsh: the words of the command so far, and a list by what they are

_BASH = """\
# neonsim's completion for bash: eval "$(neonsim completion bash)"
_neonsim() {
    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" path="" kinds="" kind one at lead=""
    COMPREPLY=()
    # --core=a is three words here.
    if [[ $word == "=" ]]; then word=""; elif [[ $before == "=" ]]; then before="${COMP_WORDS[COMP_CWORD-2]}"; fi
    for ((at = 1; at < COMP_CWORD; at++)); do
        one="${COMP_WORDS[at]}"
        case "$path $one" in
@PATHS@
        esac
    done
    case "$path $before" in
@VALUES@
    esac
    if [[ -z $kinds ]]; then
        if [[ $word == -* ]]; then
            case "$path" in
@OPTIONS@
            esac
            COMPREPLY=($(compgen -W "$kinds" -- "$word"))
            return
        fi
        case "$path" in
@WORDS@
        esac
    fi
    if [[ $kinds == *@cores* && $word == *,* ]]; then lead="${word%,*},"; fi
    for kind in ${kinds//|/ }; do
        case $kind in
@NAMES@
            @files) while IFS= read -r one; do COMPREPLY+=("$one"); done < <(compgen -f -- "$word")
                compopt -o filenames 2>/dev/null;;
            @folders) while IFS= read -r one; do COMPREPLY+=("$one"); done < <(compgen -d -- "$word")
                compopt -o filenames 2>/dev/null;;
            *) COMPREPLY+=($(compgen -W "$kind" -- "$word"));;
        esac
    done
}
complete -F _neonsim neonsim
"""


def _bash(commands: list[_Command], names: dict[str, list[str]]) -> str:
    paths = [" ".join(c.path) for c in commands]
    parts = {
        "PATHS": [f'            "{" ".join(c.path[:-1])} {c.path[-1]}") path="{" ".join(c.path)}";;'
                  for c in commands if c.path],
        "VALUES": [f'        "{path} {option}") kinds="{value}";;' for c, path in zip(commands, paths, strict=True)
                   for option, value in c.options.items() if value],
        "OPTIONS": [f'                "{path}") kinds="{" ".join(c.options)}";;'
                    for c, path in zip(commands, paths, strict=True)],
        "WORDS": [f'            "{path}") kinds="{c.words}";;' for c, path in zip(commands, paths, strict=True)
                  if c.words],
        "NAMES": [f'            {kind}) COMPREPLY+=($(compgen -P "$lead" -W "{" ".join(listed)}" '
                  '-- "${word#$lead}"));;' for kind, listed in names.items()]}
    text = _BASH
    for part, lines in parts.items():
        text = text.replace(f"@{part}@", "\n".join(lines))
    return text


def _zsh(commands: list[_Command], names: dict[str, list[str]]) -> str:
    # zsh reads completions of bash; compgen and complete are its own then.
    return ('# neonsim\'s completion for zsh: eval "$(neonsim completion zsh)"\n'
            "autoload -U +X bashcompinit && bashcompinit\n" + _bash(commands, names).partition("\n")[2])


# ---- fish: a line for each thing that can be said

def _fish(commands: list[_Command], names: dict[str, list[str]]) -> str:
    lines = ["# neonsim's completion for fish: neonsim completion fish | source", "complete -c neonsim -f"]
    lines += [f"set -g __neonsim_{kind[1:]} {' '.join(words)}" for kind, words in names.items()]

    def values(kinds: str) -> str:
        found = [f"$__neonsim_{kind[1:]}" if kind in names else "(__fish_complete_directories)" if kind == "@folders"
                 else "(__fish_complete_path)" if kind == "@files" else kind for kind in kinds.split("|")]
        return f'"{" ".join(found)}"'

    below: dict[tuple[str, ...], list[str]] = {}
    for c in commands:
        if c.path:
            below.setdefault(c.path[:-1], []).append(c.path[-1])
    for c in commands:
        if c.path:
            here = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in c.path)
        else:
            here = "__fish_use_subcommand"
        if c.path in below and c.path:
            here += f"; and not __fish_seen_subcommand_from {' '.join(below[c.path])}"
        head = f"complete -c neonsim -n '{here}'"
        for word in c.words.split("|") if c.path in below else []:
            lines.append(f"{head} -a {word}{_said(c.help.get(word, ''))}")
        if c.words and c.path not in below:
            lines.append(f"{head} -a {values(c.words)}")
        for option, value in c.options.items():
            flag = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            takes = f" -x -a {values(value)}" if value.strip("-") else " -x" if value else ""
            lines.append(f"{head} {flag}{takes}{_said(c.help.get(option, ''))}")
    return "\n".join(lines) + "\n"


def _said(text: str) -> str:
    said = " ".join(text.replace("\\", "").split())[:70].replace("'", "\\'")
    return f" -d '{said}'" if said else ""


SHELLS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
