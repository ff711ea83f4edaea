"""A second world of register protocol v2, written from the protocol's text alone and sharing no line with this project's own:

    words.py          numbers, checksums and the places of the registers
    modbus.py         a Modbus TCP server on sockets, whose wire may be struck by faults
    program.py        the controller: its state machine, one scan at a time
    motion.py         how it plays: a clock of its own and ramps to rest
    gripper.py        an output beside the protocol, which takes a while
    faults.py         what may go wrong, by name
    second_master.py  another Modbus master, which speaks between any two requests of the first
    ledger.py         the observer: what the wire asked for, what the drives were given, and what must never be
    master.py         a Modbus master of the protocol, to try controllers with
    process.py        the controller as a process of a test
    universal.py      a stand-in of an arm behind its real-time data exchange: python3 -m foreign.universal
    tables.py         controllers with registers of their own: python3 -m foreign.tables codesys --scan 20
    __main__.py       the process: python3 -m foreign --axes 6 --scan 10 ...
"""
