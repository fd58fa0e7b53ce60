"""What tests in a browser wait for: events that are certain to come, never a number of seconds."""

from __future__ import annotations

from typing import Any

__all__ = ["answered", "drawn", "listen", "sent", "turned"]

# Every message of the page's sockets, in order: whether the page sent it, and its text, as far as it is one.
_LISTEN = """(() => {
  const Plain = WebSocket, all = window.messages = [];
  const note = (ours, data) => all.push([ours, typeof data === 'string' ? data : new TextDecoder().decode(data)]);
  window.WebSocket = class extends Plain {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({ data }) => { if (!(data instanceof Blob)) note(false, data); });
    }
    send(data) {
      if (!(data instanceof Blob)) note(true, data);
      super.send(data);
    }
  };
})()"""
_SENT = "([text, count]) => window.messages.filter(([ours, one]) => ours && one.includes(text)).length >= count"
# The kernel says of every message when it has done with it.
_ANSWERED = """text => {
  const last = window.messages.findLast(([ours, one]) => ours && one.includes(text));
  const id = last?.[1].match(/"msg_id": ?"([^"]+)"/)?.[1];
  return id && window.messages.some(([ours, one]) => !ours && one.includes(id) && one.includes('"idle"')); }"""


def drawn(page: Any) -> None:
    """Until the page has been drawn twice: what waits for a frame has had one."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def turned(page: Any) -> None:
    """Until a timer has ended that began now and is longer than a stepper's: one that runs has moved before."""
    page.evaluate("() => new Promise(done => setTimeout(done, 2000 / window.neonsim.speed))")


def listen(page: Any) -> None:
    """Keep the messages between page and kernel; before the page is opened."""
    page.add_init_script(_LISTEN)


def sent(page: Any, text: str, count: int = 1) -> None:
    """Until the page has sent so many messages with this text."""
    page.wait_for_function(_SENT, arg=[text, count])


def answered(page: Any, text: str) -> None:
    """Until the kernel has done with the last message with this text, and the page has taken in what it said before."""
    page.wait_for_function(_ANSWERED, arg=text)
    drawn(page)
