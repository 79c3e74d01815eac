"""Runs a ClickHouse server out of the engine's library: `clickhouse local`, told to listen.

Usage: run-clickhouse.py LIBRARY DATA_FOLDER CONFIG_FILE. It runs until it is killed or its standard input ends, which
it does when the parent dies, however that was.
"""

import ctypes
import os
import sys
import threading

LISTEN = "SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP;"
# A query that never ends: when it does, so does the server.
STAY = "SELECT sleepEachRow(1) FROM system.numbers FORMAT Null SETTINGS max_block_size = 1, max_execution_time = 0"


def die_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os._exit(0)


def main() -> None:
    library, data, config = sys.argv[1:]
    threading.Thread(target=die_with_parent, daemon=True).start()
    engine = ctypes.CDLL(library)
    # Its own handlers of fatal signals hang.
    engine.chdb_set_signal_handlers_enabled(0)
    words = ["clickhouse", "--path", data, "--config-file", config, "--query", f"{LISTEN} {STAY}"]
    arguments = (ctypes.c_char_p * (len(words) + 1))(*(word.encode() for word in words), None)
    engine.chdb_query_cmdline.restype = ctypes.c_void_p
    engine.chdb_result_error.argtypes = [ctypes.c_void_p]
    engine.chdb_result_error.restype = ctypes.c_char_p
    result = engine.chdb_query_cmdline(len(words), arguments)
    reason = engine.chdb_result_error(result) if result else None
    sys.exit((reason or b"The server ended without a reason.").decode(errors="replace"))


main()
