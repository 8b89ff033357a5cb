"""Files of counters as other tools write them, of the fabric of tests/fabrics/plain, and what is read of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lacis.counters import Readings

# As ibnetdiscover prints the fabric of tests/fabrics/plain on ibsim 0.10.
FABRIC = """
switchguid=0x8f10002(8f10002)
Switch\t4 "S-0000000008f10002"\t\t# "leaf 2" base port 0 lid 2 lmc 0
[1]\t"S-0000000008f10001"[3]\t\t# "leaf 1" lid 1 4xHDR
[3]\t"H-00000000000000b0"[1](b1) \t\t# "it's" lid 4 4xHDR

switchguid=0x8f10001(8f10001)
Switch\t4 "S-0000000008f10001"\t\t# "leaf 1" enhanced port 0 lid 1 lmc 0
[1]\t"H-00000000000000a0"[1](a1) \t\t# "node1 HCA-1" lid 6 4xHDR
[3]\t"S-0000000008f10002"[1]\t\t# "leaf 2" lid 2 4xHDR

caguid=0xb0
Ca\t2 "H-00000000000000b0"\t\t# "it's"
[1](b1) \t"S-0000000008f10002"[3]\t\t# lid 4 lmc 0 "leaf 2" lid 2 4xHDR

caguid=0xa0
Ca\t1 "H-00000000000000a0"\t\t# "node1 HCA-1"
[1](a1) \t"S-0000000008f10001"[1]\t\t# lid 6 lmc 1 "leaf 1" lid 1 4xHDR
"""
# As perfquery of infiniband-diags 44 prints it there.
PLAIN = """# Port counters: Lid 1 port 4 (CapMask: 0x1300)
PortSelect:......................4
CounterSelect:...................0x0000
SymbolErrorCounter:..............77
LinkErrorRecoveryCounter:........0
LinkDownedCounter:...............255
PortRcvErrors:...................9
CounterSelect2:..................0x00
QP1Dropped:......................0
VL15Dropped:.....................0
PortXmitData:....................864
PortXmitWait:....................5000
"""
EXTENDED = """# Port extended counters: Lid 1 port 4 (CapMask: 0x1300 CapMask2: 0x0000000)
PortSelect:......................4
CounterSelect:...................0x0000
PortXmitData:....................5000000000216
PortUnicastXmitPkts:.............12
"""
DETAILS = """# PortRcvErrorDetails counters: Lid 1 port 4
PortSelect:......................4
PortMalformedPktErrors:..........9
"""
ERRORS = """Errors for 0x8f10001 "leaf 1"
   GUID 0x8f10001 port ALL: [SymbolErrorCounter == 77] [PortXmitData == 1008 (3.938KB)]
   GUID 0x8f10001 port 4: [SymbolErrorCounter == 77] [LinkDownedCounter == 312] [PortXmitData == 1008 (3.938KB)]
       Link info:      1   4[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>  0x0000000008f10002      2    2[  ] "leaf 2" (Could be 12X )
Errors for "it's"
   GUID 0xb1 port 1: [VL15Dropped == 2]

## Summary: 4 nodes checked, 1 bad nodes found
##          11 ports checked, 1 ports have errors beyond threshold
"""
DATA = """Data Counters for 0xa0 "node1 HCA-1"
   GUID 0xa0 port 1: [PortXmitData == 2880 (11.250KB)] [PortXmitPkts == 40 (40.000)]
"""
DB_CSV = """# Timestamp 1795694400
START_PM_INFO
NodeGUID,PortGUID,PortNumber,LinkDownedCounter,LinkDownedCounterExt,SymbolErrorCounter,PortXmitData
0x0000000008f10001,0x0000000008f10001,4,255,300,77,123456
0x0000000008f10002,0x0000000008f10002,2,0,N/A,,123456
END_PM_INFO
"""
NET_DUMP_EXT = """Ty : # : #IB : GUID               : LID : Sta : Conn LID : Symbol Err : Effective Err : Node Desc
SW : 1 : 1   : 0x0000000008f10001 : 1   : ACT : 6        : 4          : 5             : "leaf 1"
"""
UFM = """timestamp,source_id,tag,node_guid,port_guid,port_num,lid,PortXmitDataExtended,SymbolErrorCounterExtended,Temp
1795694400123456,0x8f10001_4,cset,0x8f10001,0x8f10001,4,1,123456789012,3,40
1795694400223456,0x8f10002_2,cset,0x8f10002,0x8f10002,2,2,NaN,0,41
"""
SENSORS = """=================================================
SwitchIB Mellanox Technologies
=================================================
part number        | MSB7790-ES2F
serial number      | MT1943X00498
product name       | Scorpion IB EDR Unmanaged
GUID               | 0x1c34da0300010540
firmware version   | 11.2008.2102
-------------------------------------------------
uptime (d-h:m:s)   | 160d-10:38:53
-------------------------------------------------
PSU0 status        | OK
     P/N           | MTEF-PSF-AC-A
     DC power      | OK
     fan status    | ERROR
     power (W)     | foo
PSU1 status        |
-------------------------------------------------
temperature (C)    | 45
-------------------------------------------------
fan status         | ERROR
fan#1 (rpm)        | 8493
fan#2 (rpm)        |
-------------------------------------------------
"""


def rows(readings: Readings) -> dict[tuple[str, int], dict[str, int]]:
    """Counters that are known, by node GUID and port."""
    return {
        (f"{guid:x}", port): {
            name: int(values[row]) for name, values in readings.values.items() if readings.known[name][row]
        }
        for row, (guid, port) in enumerate(zip(readings.guids.tolist(), readings.ports.tolist(), strict=True))
    }


def wide(readings: Readings) -> list[str]:
    return sorted(name for name, flags in readings.wide.items() if flags[0])
