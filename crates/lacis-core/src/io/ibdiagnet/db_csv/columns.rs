//! The columns that name a port, and those of PORTS.

use crate::fabric::{Capability, Guid, Rate};
use crate::io::csv::{Column, CsvTable, Row};
use crate::io::ibdiagnet::speeds::Layout;
use crate::io::{ReadError, lane};

/// The columns that name a port.
pub(super) struct End {
    pub guid: Column,
    pub number: Column,
}

impl End {
    pub(super) fn of(table: &CsvTable<'_>, side: &str, shown: [&str; 2]) -> Result<Self, ReadError> {
        let names = |all: [&str; 2]| all.map(|name| format!("{name}{side}"));
        let guids = names(["nodeguid", "nodeguid"]);
        let numbers = names(["portnum", "portnumber"]);
        Ok(Self {
            guid: table.needed(shown[0], &guids.each_ref().map(String::as_str))?,
            number: table.needed(shown[1], &numbers.each_ref().map(String::as_str))?,
        })
    }
}

/// The GUID of a row, which must have one.
pub(super) fn some_guid(row: &Row<'_, '_>, column: &Column) -> Result<Guid, ReadError> {
    let guid = row.guid(Some(column))?;
    if guid.is_some() { Ok(guid) } else { Err(row.place.refuse("a row without the GUID of its node")) }
}

/// Columns of PORTS, as far as a file has them.
pub(super) struct PortColumns {
    pub guid: Option<Column>,
    pub lid: Option<Column>,
    pub lmc: Option<Column>,
    pub prefix: Option<Column>,
    pub mtu: Option<Column>,
    pub state: Option<Column>,
    pub physical: Option<Column>,
    pub width: Option<Column>,
    pub width_supported: Option<Column>,
    pub width_enabled: Option<Column>,
    pub speed: Option<Column>,
    pub speed_supported: Option<Column>,
    pub speed_enabled: Option<Column>,
}

impl PortColumns {
    pub(super) fn of(table: &CsvTable<'_>) -> Self {
        let column = |names: &[&str]| table.column(names);
        Self {
            guid: column(&["portguid"]),
            lid: column(&["lid"]),
            lmc: column(&["lmc"]),
            prefix: column(&["gidprfx", "gidprefix"]),
            mtu: column(&["mtucap"]),
            state: column(&["portstate"]),
            physical: column(&["portphystate", "portphysstate"]),
            width: column(&["linkwidthactv", "linkwidthactive"]),
            width_supported: column(&["linkwidthsup", "linkwidthsupported"]),
            width_enabled: column(&["linkwidthen", "linkwidthenabled"]),
            speed: column(&["linkspeedactv", "linkspeedactive"]),
            speed_supported: column(&["linkspeedsup", "linkspeedsupported"]),
            speed_enabled: column(&["linkspeeden", "linkspeedenabled"]),
        }
    }

    /// The rate at which a link runs, where width and speed are known.
    pub(super) fn rate(&self, row: &Row<'_, '_>, layout: Layout) -> Result<Option<Rate>, ReadError> {
        let width = row.number(self.width.as_ref())?.and_then(lane::width_bit);
        let speed = row.number(self.speed.as_ref())?.and_then(|bits| layout.active(bits));
        Ok(width.zip(speed).map(|(width, speed)| Rate { width, speed }))
    }

    /// The widths and speeds that a port supports, or those that are enabled.
    pub(super) fn capability(
        &self,
        row: &Row<'_, '_>,
        layout: Layout,
        enabled: bool,
    ) -> Result<Capability, ReadError> {
        let (widths, speeds) = if enabled {
            (&self.width_enabled, &self.speed_enabled)
        } else {
            (&self.width_supported, &self.speed_supported)
        };
        let (widths, speeds) =
            (row.number(widths.as_ref())?.unwrap_or(0), row.number(speeds.as_ref())?.unwrap_or(0));
        // All bits set mean "whatever is supported".
        let widths = (0..5).map(|n| 1 << n).filter(|bit| widths != 255 && widths & bit != 0);
        let capability =
            widths.filter_map(lane::width_bit).fold(Capability::default(), Capability::with_width);
        Ok(layout.speeds(speeds).into_iter().fold(capability, Capability::with_speed))
    }
}
