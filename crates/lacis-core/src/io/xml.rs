//! XML, element by element: what the readers of snapshots, topologies and `opafm.xml` share.
//!
//! [`Xml::next`] says what opens and what closes; a close hands over the element's text. Nothing grows with the
//! input but the list of open elements, whose depth is bounded. A DOCTYPE is refused, and so is every entity except
//! XML's own five: nothing expands, and nothing is read from elsewhere.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::errors::{Error, IllFormedError, SyntaxError};
use quick_xml::events::attributes::Attributes;
use quick_xml::events::{BytesRef, Event};

use super::note::Notes;
use super::{NoteKind, ReadError, text};

/// Deepest nesting accepted; fabric files have 10.
const MAX_DEPTH: usize = 64;
/// Bytes that are examined to recognise a format.
const HEAD: usize = 1 << 16;

/// What comes next.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// An element opens.
    Open(Tag<'a>),
    /// The element of this name closes; its text, trimmed, empty where it holds elements.
    Close(&'a str, Cow<'a, str>),
    /// The file ends, every element closed.
    End,
}

/// The tag that opens an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag<'a> {
    /// The element's name.
    pub(crate) name: &'a str,
    attributes: &'a str,
}

#[allow(dead_code)] // attributes mean nothing in plans
impl<'a> Tag<'a> {
    /// An attribute's value; `None` if there is none of this name, or it cannot be read.
    pub(crate) fn attribute(&self, name: &str) -> Option<Cow<'a, str>> {
        let mut found = Attributes::new(self.attributes, 0).flatten();
        let value = found.find(|a| a.key.as_ref() == name.as_bytes())?;
        value.unescape_value().ok()
    }
}

/// An element that is open.
struct OpenElement<'a> {
    name: &'a str,
    at: usize,
    has_children: bool,
}

/// A walk over the elements of a text.
pub(crate) struct Xml<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    open: Vec<OpenElement<'a>>,
    /// Text since the last tag.
    content: Cow<'a, str>,
    /// Text beside elements that the last step has passed.
    beside: Option<String>,
    /// Where the last step begins [bytes].
    at: usize,
    /// A position, and the line that it is on.
    counted: (usize, usize),
    has_root: bool,
}

/// Bytes as text, in the encoding that the file declares, else in UTF-8: no packed or binary data. Bytes that have no meaning
/// in it are replaced and noted.
pub(crate) fn decode<'a>(bytes: &'a [u8], notes: &mut Notes) -> Result<Cow<'a, str>, ReadError> {
    if let Some(kind) = text::packed(bytes) {
        return Err(ReadError::whole(format!("{kind} data, not text: unpack it first")));
    }
    text::refuse_empty(bytes)?;
    let plain = text::plain(bytes, notes);
    let line = |at: usize| plain[..at].split(|&b| b == b'\n').count();
    if let Some(at) = plain.iter().position(|&b| b == 0) {
        return Err(ReadError::at(line(at), "a NUL byte: this is binary data, not text", ""));
    }
    if let Some(encoding) = declared(&plain) {
        let (text, _, has_errors) = encoding.decode(&plain);
        if has_errors {
            let at = text.find('\u{fffd}').unwrap_or(0);
            let shown: String = text[at..].chars().take(80).collect();
            notes.add(NoteKind::NotText, 1 + text[..at].matches('\n').count(), &shown);
        }
        return Ok(Cow::Owned(text.into_owned()));
    }
    if let Err(error) = std::str::from_utf8(&plain) {
        let at = error.valid_up_to();
        let end = plain.len().min(at + 80);
        notes.add(NoteKind::NotText, line(at), &String::from_utf8_lossy(&plain[at..end]));
    }
    Ok(match plain {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    })
}

/// The encoding that an XML declaration names, other than UTF-8; a mark of byte order, which comes before any declaration,
/// has been heeded already, so those of 16 bits are none.
fn declared(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let head = bytes.trim_ascii_start();
    let end = head.windows(2).take(HEAD).position(|two| two == b"?>")?;
    let declaration = std::str::from_utf8(head.get(..end)?).ok()?.strip_prefix("<?xml")?;
    let (_, after) = declaration.split_once("encoding")?;
    let quoted = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = quoted.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (label, _) = quoted[1..].split_once(quote)?;
    let encoding = encoding_rs::Encoding::for_label(label.trim().as_bytes())?;
    (encoding != encoding_rs::UTF_8 && encoding.is_ascii_compatible()).then_some(encoding)
}

/// Whether bytes begin as XML does.
pub(crate) fn looks_like(bytes: &[u8]) -> bool {
    let mut notes = Notes::default();
    let head = text::plain(&bytes[..bytes.len().min(HEAD)], &mut notes);
    head.trim_ascii_start().starts_with(b"<")
}

/// The name of the outermost element, which distinguishes formats; `None` if the bytes do not begin as XML.
pub(crate) fn root(bytes: &[u8]) -> Option<String> {
    let mut notes = Notes::default();
    let head = text::plain(&bytes[..bytes.len().min(HEAD)], &mut notes);
    let head = String::from_utf8_lossy(&head);
    if !head.trim_start().starts_with('<') {
        return None;
    }
    let mut xml = Xml::new(&head);
    match xml.next(&mut notes) {
        Ok(Step::Open(tag)) => Some(tag.name.to_owned()),
        _ => None,
    }
}

impl<'a> Xml<'a> {
    /// At the start of a text.
    pub(crate) fn new(text: &'a str) -> Self {
        // The parser skips a byte order mark, which its positions do not count.
        let text = text.trim_start_matches('\u{feff}');
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        let content = Cow::Borrowed("");
        Self {
            text,
            reader,
            open: Vec::new(),
            content,
            beside: None,
            at: 0,
            counted: (0, 1),
            has_root: false,
        }
    }

    /// The line of the last step, from 1.
    pub(crate) fn line(&mut self) -> usize {
        let (before, line) = self.counted;
        let (from, line) = if self.at < before { (0, 1) } else { (before, line) };
        let more = self.text[from..self.at].matches('\n').count();
        self.counted = (self.at, line + more);
        line + more
    }

    /// Text that the last step found beside elements, in the one that held what it opened, or in the one that it closed.
    pub(crate) fn beside(&mut self) -> Option<String> {
        self.beside.take()
    }

    /// A refusal of what the last step read.
    pub(crate) fn refuse(&mut self, reason: impl Into<String>) -> ReadError {
        let line = self.line();
        let begin = self.text[..self.at].rfind('\n').map_or(0, |i| i + 1);
        let shown = self.text[begin..].lines().next().unwrap_or_default();
        ReadError::at(line, reason, shown.trim())
    }

    /// What comes next. Text beside elements is noted.
    ///
    /// # Errors
    /// When the text is not well-formed, or ends too soon, or has a DOCTYPE or an entity of its own.
    pub(crate) fn next(&mut self, notes: &mut Notes) -> Result<Step<'a>, ReadError> {
        loop {
            let from = self.reader.buffer_position() as usize;
            let event = self.reader.read_event();
            let to = self.reader.buffer_position() as usize;
            self.at = from;
            match event {
                Ok(Event::Start(_)) => return self.opens(&self.text[from..to], notes),
                Ok(Event::End(_)) => {
                    let Some(closed) = self.open.pop() else { continue };
                    if closed.has_children {
                        self.stray(notes);
                    }
                    return Ok(Step::Close(closed.name, trimmed(std::mem::take(&mut self.content))));
                }
                Ok(Event::Eof) => return self.ends(),
                Ok(Event::Text(_)) => self.add(&self.text[from..to])?,
                Ok(Event::CData(_)) => {
                    let inner = self.text[from..to].trim_start_matches("<![CDATA[");
                    self.add(inner.strip_suffix("]]>").unwrap_or(inner))?;
                }
                Ok(Event::GeneralRef(entity)) => match meaning(&entity) {
                    Some(c) => self.content.to_mut().push(c),
                    None => {
                        return Err(self.refuse(
                            "an entity that is none of XML's own five (&lt; &gt; &amp; &apos; &quot;): others are not expanded",
                        ));
                    }
                },
                Ok(Event::DocType(_)) => {
                    return Err(self.refuse(
                        "a DOCTYPE: these files have none, and what it can define (entities, other files) is not read",
                    ));
                }
                Ok(_) => {}
                Err(error) => return Err(self.broken(&error)),
            }
        }
    }

    /// Skips the rest of the element that the last step opened.
    pub(crate) fn skip(&mut self, notes: &mut Notes) -> Result<(), ReadError> {
        let depth = self.open.len();
        while self.open.len() >= depth && depth > 0 {
            self.next(notes)?;
        }
        Ok(())
    }

    fn opens(&mut self, tag: &'a str, notes: &mut Notes) -> Result<Step<'a>, ReadError> {
        if self.open.is_empty() && std::mem::replace(&mut self.has_root, true) {
            return Err(self.refuse("a second outermost element: an XML file has one"));
        }
        if self.open.len() == MAX_DEPTH {
            return Err(self.refuse(format!("elements are nested deeper than {MAX_DEPTH}")));
        }
        self.stray(notes);
        if let Some(parent) = self.open.last_mut() {
            parent.has_children = true;
        }
        let inner = tag.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/');
        let end = inner.find(|c: char| c.is_ascii_whitespace()).unwrap_or(inner.len());
        let (name, attributes) = inner.split_at(end);
        if name.is_empty() {
            return Err(self.refuse("a tag without a name"));
        }
        self.open.push(OpenElement { name, at: self.at, has_children: false });
        Ok(Step::Open(Tag { name, attributes }))
    }

    fn ends(&mut self) -> Result<Step<'a>, ReadError> {
        if let Some(last) = self.open.last() {
            let (name, at) = (last.name, last.at);
            self.at = at;
            let line = self.line();
            self.at = self.text.trim_end().len();
            return Err(self.refuse(format!(
                "the file ends inside <{name}>, opened on line {line}: it looks truncated"
            )));
        }
        if self.has_root {
            Ok(Step::End)
        } else {
            Err(ReadError::whole("no XML element: this is no XML file"))
        }
    }

    fn add(&mut self, text: &'a str) -> Result<(), ReadError> {
        if self.open.is_empty() && !text.trim().is_empty() {
            self.at += text.len() - text.trim_start().len();
            return Err(self.refuse("text outside of the outermost element"));
        }
        if self.content.is_empty() {
            self.content = Cow::Borrowed(text);
        } else {
            self.content.to_mut().push_str(text);
        }
        Ok(())
    }

    /// Notes text that stands beside elements.
    fn stray(&mut self, notes: &mut Notes) {
        let content = std::mem::take(&mut self.content);
        if !content.trim().is_empty() {
            notes.add(NoteKind::StrayText, self.line(), content.trim());
            self.beside = Some(content.trim().to_owned());
        }
    }

    fn broken(&mut self, error: &Error) -> ReadError {
        let cut = match error {
            Error::Syntax(SyntaxError::UnclosedComment) => "a comment",
            Error::Syntax(SyntaxError::UnclosedCData) => "a CDATA section",
            Error::Syntax(SyntaxError::UnclosedTag) => "a tag",
            Error::Syntax(SyntaxError::UnclosedPIOrXmlDecl) => "a <? … ?>",
            Error::Syntax(_) => "a <! … >",
            Error::IllFormed(IllFormedError::MismatchedEndTag { found, .. }) => {
                let (name, at) = self.open.last().map_or(("", 0), |open| (open.name, open.at));
                let here = std::mem::replace(&mut self.at, at);
                let line = self.line();
                self.at = here;
                return self.refuse(format!("</{found}> where <{name}> is open, since line {line}"));
            }
            Error::IllFormed(IllFormedError::UnmatchedEndTag(found)) => {
                return self.refuse(format!("</{found}> closes nothing that is open"));
            }
            Error::IllFormed(IllFormedError::UnclosedReference) => {
                return self.refuse("& without a ; after it: a plain & is written &amp;");
            }
            other => return self.refuse(format!("no well-formed XML: {other}")),
        };
        self.refuse(format!("the file ends inside {cut} that begins here: it looks truncated"))
    }
}

/// The character that a reference means.
fn meaning(entity: &BytesRef<'_>) -> Option<char> {
    match entity.resolve_char_ref() {
        Ok(Some(c)) => return Some(c),
        Ok(None) => {}
        Err(_) => return None,
    }
    match &**entity {
        b"lt" => Some('<'),
        b"gt" => Some('>'),
        b"amp" => Some('&'),
        b"apos" => Some('\''),
        b"quot" => Some('"'),
        _ => None,
    }
}

fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

/// A text as written between tags or in an attribute.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    quick_xml::escape::escape(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a walk says, and what it notes.
    fn walk(text: &str) -> Result<(String, usize), ReadError> {
        let mut notes = Notes::default();
        let text = decode(text.as_bytes(), &mut notes)?;
        let mut xml = Xml::new(&text);
        let mut out = String::new();
        loop {
            match xml.next(&mut notes)? {
                Step::Open(tag) => {
                    let id = tag.attribute("id").unwrap_or_default();
                    out.extend([xml.line().to_string().as_str(), ":", tag.name, "(", &id, " "]);
                }
                Step::Close(_, text) => out.extend([&*text, ") "]),
                Step::End => break,
            }
        }
        Ok((out, notes.finish().iter().map(|n| n.count).sum()))
    }

    #[test]
    fn byte_order_marks_shift_nothing() {
        // The first goes with the encoding, a second one is passed over by the parser.
        let (steps, _) = walk("\u{feff}\u{feff}<A>\u{303}<B id='x'/></A>").unwrap();
        assert!(steps.contains("1:A(") && steps.contains("1:B(x "), "{steps}");
        assert!(walk("\u{feff}\u{feff}\u{303}\u{303}2").is_err());
    }

    #[test]
    fn names_are_read_in_the_encoding_that_the_file_declares() {
        let text = |label: &str, bytes: &[u8]| {
            let declaration = format!("<?xml version=\"1.0\" encoding={label} ?>\n<A>\n<B>");
            let all = [declaration.as_bytes(), bytes, b"</B></A>"].concat();
            let mut notes = Notes::default();
            let text = decode(&all, &mut notes).unwrap().into_owned();
            (text.split_once("<B>").unwrap().1.split_once("</B>").unwrap().0.to_owned(), notes.finish())
        };
        // "Zürich" in Latin 1, in Latin 9 with a euro sign, in Shift JIS (a half-width katakana), and in UTF-8.
        for label in ["\"ISO-8859-1\"", "'iso-8859-1'", "\"windows-1252\"", "\"latin1\""] {
            assert_eq!(text(label, b"Z\xfcrich"), ("Zürich".to_owned(), vec![]), "{label}");
        }
        assert_eq!(text("\"iso-8859-15\"", b"\xa4").0, "€");
        assert_eq!(text("\"Shift_JIS\"", b"\xb1").0, "\u{ff71}");
        assert_eq!(text("\"utf-8\"", "Zürich".as_bytes()), ("Zürich".to_owned(), vec![]));
        // What is not in the declared encoding is noted with its line.
        for (label, bytes) in [("\"utf-8\"", &b"Z\xfcrich"[..]), ("\"Shift_JIS\"", b"\xff")] {
            let (_, notes) = text(label, bytes);
            assert_eq!(notes.iter().map(|n| (n.kind, n.line)).collect::<Vec<_>>(), [(NoteKind::NotText, 3)]);
        }
        // An unknown label is no reason to refuse what is UTF-8.
        assert_eq!(text("\"klingon\"", b"edge1"), ("edge1".to_owned(), vec![]));
    }

    #[test]
    fn elements_come_with_their_lines_attributes_and_texts() {
        let text = "<?xml version=\"1.0\" encoding=\"utf-8\" ?>\n<!-- c -->\n<A id='&lt;1&gt;'>\n <B/>\n\
                    <C id=\"x y\"> a &amp; <!-- c -->b &#65;<![CDATA[<&]]> </C >\n</A>\n";
        let (out, notes) = walk(text).unwrap();
        assert_eq!((out.as_str(), notes), ("3:A(<1> 4:B( ) 5:C(x y a & b A<&) ) ", 0));
    }

    #[test]
    fn text_beside_elements_is_noted_and_not_taken_for_content() {
        assert_eq!(walk("<A>x<B>1</B>y</A>").unwrap(), ("1:A( 1:B( 1) ) ".to_owned(), 2));
    }

    #[test]
    fn what_is_not_well_formed_is_refused_with_its_line() {
        let deep = "<a>".repeat(MAX_DEPTH + 1);
        let cases = [
            ("<A>\n<B>\n</A>", 3, "</A> where <B> is open, since line 2"),
            ("<A>\n</A>\n</B>", 3, "closes nothing"),
            ("<A>\n<B>1</B>\n", 2, "ends inside <A>, opened on line 1"),
            ("<A>\n<B", 2, "inside a tag"),
            ("<A>\n<!-- x", 2, "inside a comment"),
            ("<A/>\n<B/>", 2, "a second outermost element"),
            ("<A/>\nx", 2, "text outside"),
            ("<A>\n&x;</A>", 2, "none of XML's own five"),
            ("<A>\na & b</A>", 2, "&amp;"),
            ("<!DOCTYPE a [<!ENTITY b \"c\">]>\n<a>&b;</a>", 1, "a DOCTYPE"),
            (&deep, 1, "deeper than 64"),
        ];
        for (text, line, reason) in cases {
            let error = walk(text).unwrap_err();
            assert_eq!(error.line, Some(line), "{error}: {text}");
            assert!(error.reason.contains(reason), "{error}: {text}");
        }
        assert!(walk("<!-- c -->").unwrap_err().reason.contains("no XML element"));
        assert!(walk("\x1f\u{8b}").is_err());
        assert!(decode(b"<A>\n\0", &mut Notes::default()).unwrap_err().line == Some(2));
    }

    #[test]
    fn the_outermost_element_distinguishes_formats() {
        assert_eq!(
            root(b"\xef\xbb\xbf <?xml version='1.0'?><!-- c --><Report x='1'><A>").as_deref(),
            Some("Report")
        );
        for other in [&b"vendid=0x2c9"[..], b"", b"<", b"{\"schema\": 1}"] {
            assert_eq!(root(other), None);
        }
    }

    #[test]
    fn a_skipped_element_is_passed_over_whole() {
        let mut notes = Notes::default();
        let mut xml = Xml::new("<A><B><C>1</C><D/></B><E/></A>");
        xml.next(&mut notes).unwrap();
        xml.next(&mut notes).unwrap();
        xml.skip(&mut notes).unwrap();
        assert!(matches!(xml.next(&mut notes), Ok(Step::Open(tag)) if tag.name == "E"));
    }
}
