"""The command line: flags to requests, results to streams. No logic.

A command is a module with an `app`; `app.py` lists it and imports it when it is called.
"""
