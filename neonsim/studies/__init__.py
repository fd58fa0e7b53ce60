"""The articles' questions as tables and figures; `neonsim study` and `neonsim sweep`."""
