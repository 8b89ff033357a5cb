//! The highest speed of devices by their number: the generation that a chip is of. A device may be sold in slower
//! variants, so that this is what it can at most.

use crate::fabric::Speed;

/// The vendor number of Mellanox, and of NVIDIA after it.
const MELLANOX: u32 = 0x2c9;

/// Adapters and switches of Mellanox and NVIDIA: the numbers of PCI devices, and those that switches report.
const DEVICES: [(u32, Speed); 36] = [
    (0x5a44, Speed::Sdr), // MT23108 InfiniHost
    (0x6278, Speed::Sdr), // MT25208 InfiniHost III Ex, in the older mode
    (0x6282, Speed::Ddr), // MT25208 InfiniHost III Ex
    (0x6274, Speed::Ddr), // MT25204 InfiniHost III Lx
    (0x6340, Speed::Sdr), // ConnectX
    (0x634a, Speed::Ddr),
    (0x6354, Speed::Qdr),
    (0x6732, Speed::Ddr),
    (0x673c, Speed::Qdr), // ConnectX-2 has it, too
    (0x6778, Speed::Qdr),
    (0x1003, Speed::Fdr), // ConnectX-3
    (0x1007, Speed::Fdr), // ConnectX-3 Pro
    (0x1011, Speed::Fdr), // Connect-IB
    (0x1013, Speed::Edr), // ConnectX-4
    (0x1017, Speed::Edr), // ConnectX-5
    (0x1019, Speed::Edr),
    (0x101b, Speed::Hdr), // ConnectX-6
    (0x1021, Speed::Ndr), // ConnectX-7
    (0x1023, Speed::Xdr), // ConnectX-8
    (0xa2d2, Speed::Edr), // BlueField
    (0xa2d6, Speed::Hdr), // BlueField-2
    (0xa2dc, Speed::Ndr), // BlueField-3
    (0xb924, Speed::Ddr), // InfiniScale III
    (0xbd34, Speed::Qdr), // InfiniScale IV
    (0xbd35, Speed::Qdr),
    (0xbd36, Speed::Qdr),
    (0x1004, Speed::Fdr), // a virtual function of ConnectX-3
    (0x1012, Speed::Fdr),
    (0x1014, Speed::Edr),
    (0xc738, Speed::Fdr), // SwitchX
    (0xcb20, Speed::Edr), // Switch-IB
    (0xcf08, Speed::Edr), // Switch-IB 2
    (0xd2f0, Speed::Hdr), // Quantum
    (0xd2f2, Speed::Ndr), // Quantum-2
    (0xd2f4, Speed::Xdr), // Quantum-3
    (0x1018, Speed::Edr),
];

/// The highest speed of a device, where it is known.
pub(super) fn fastest(vendor: u32, device: u32) -> Option<Speed> {
    let found = DEVICES.iter().find(|&&(number, _)| number == device);
    found.filter(|_| vendor == MELLANOX || vendor == 0).map(|&(_, speed)| speed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_device_is_listed_twice() {
        let mut numbers: Vec<u32> = DEVICES.iter().map(|&(number, _)| number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), DEVICES.len());
        assert_eq!(fastest(0x2c9, 0x1003), Some(Speed::Fdr));
        assert_eq!((fastest(0x1175, 0x1003), fastest(0x2c9, 1)), (None, None));
    }
}
