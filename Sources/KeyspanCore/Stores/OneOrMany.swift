/// A list that allocates nothing while it has one element, which is what most batches and changes have.
@usableFromInline
package enum OneOrMany<Element> {
    /// One element.
    case one(Element)
    /// Any number of elements.
    case many([Element])

    mutating func append(_ element: Element) {
        switch self {
        case .one(let first): self = .many([first, element])
        case .many(let elements) where elements.isEmpty: self = .one(element)
        case .many(var elements):
            // The array is taken out of `self` first, so that appending finds it unshared.
            self = .many([])
            elements.append(element)
            self = .many(elements)
        }
    }

    /// Looks at each element, and makes no array of one.
    @inlinable
    package func forEach<Failure: Error>(_ body: (Element) throws(Failure) -> Void) throws(Failure) {
        switch self {
        case .one(let element): try body(element)
        case .many(let elements):
            for element in elements {
                try body(element)
            }
        }
    }

    var array: [Element] {
        switch self {
        case .one(let element): [element]
        case .many(let elements): elements
        }
    }

    var isEmpty: Bool {
        if case .many(let elements) = self { elements.isEmpty } else { false }
    }

    var count: Int {
        if case .many(let elements) = self { elements.count } else { 1 }
    }

    subscript(position: Int) -> Element {
        switch self {
        case .one(let element): element
        case .many(let elements): elements[position]
        }
    }
}

extension OneOrMany: Sendable where Element: Sendable {}
