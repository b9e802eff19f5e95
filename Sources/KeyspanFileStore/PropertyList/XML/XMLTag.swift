/// The opening tag of an element.
struct XMLTag {
    let element: XMLElement
    /// Whether it is closed already: `<dict/>`.
    let isEmpty: Bool
    /// Its offset.
    let start: Int
}
