use super::*;
use crate::fabric::Guid;

const SAMPLE: &str = "\
Switch: guid 0x0000000008f10001
0x0004: 00 02 ff # portguid 0x0000000008f10001
0x0007: 01 01 ff # portguid 0x0000000008f10002
Switch: guid 0x0000000008f10002
0x0004: 01 01 # portguid 0x0000000008f10001
";

#[test]
fn matrices_are_read_and_written_as_they_were() {
    let dump = read(SAMPLE.as_bytes()).unwrap();
    let [one, two] = dump.switches.as_slice() else { panic!("two switches") };
    assert_eq!((one.guid, one.rows.len(), two.line), (Guid(0x8f1_0001), 2, 4));
    assert_eq!((one.rows[1].lid, one.rows[1].hops.as_slice()), (7, [1, 1, 255].as_slice()));
    assert_eq!(one.rows[1].owner, Some(Guid(0x8f1_0002)));
    assert_eq!(to_dump(&dump), SAMPLE);
    let spaced = SAMPLE.replace('\n', " \r\n\r\n").replace("ff #", "FF #");
    assert_eq!(to_dump(&read(spaced.as_bytes()).unwrap()), SAMPLE);
}

#[test]
fn what_is_no_matrix_is_refused_with_its_line() {
    for (text, line, reason) in [
        ("", None, "empty"),
        ("hello\n", Some(1), "no hop matrix found"),
        ("0x0004: 00\n", Some(1), "before the first switch"),
        ("Switch: guid 0x\n", Some(1), "without the GUID"),
        ("Switch: guid 0x1\n0x0004 00\n", Some(2), "without a colon"),
        ("Switch: guid 0x1\n0xc000: 00\n", Some(2), "bad LID"),
        ("Switch: guid 0x1\n0x0000: 00\n", Some(2), "bad LID"),
        ("Switch: guid 0x1\n0x0004: 00 100\n", Some(2), "bad hops"),
        ("Switch: guid 0x1\n0x0004: +1\n", Some(2), "bad hops"),
        ("Switch: guid 0x1\n0x0004:\n", Some(2), "1 to 256 ports"),
        ("Switch: guid 0x1\n0x0004: 00 # portguid 0xzz\n", Some(2), "bad port GUID"),
    ] {
        let error = read(text.as_bytes()).unwrap_err();
        assert_eq!(error.line, line, "{text:?}: {error}");
        assert!(error.reason.contains(reason), "{text:?}: {error}");
    }
}
