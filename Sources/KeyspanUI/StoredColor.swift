internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The stored form of a color, the same as in Defaults.
///
/// It is an array with the name of the color space and the array of the components, of which the last is the opacity. A color
/// without those is stored as the archive of its `NSColor` or `UIColor`.
enum StoredColor: Equatable {
    /// The components of a color in a named color space.
    case components([Double], space: String)

    /// A keyed archive.
    case archive(Data)

    /// The stored value.
    var propertyListValue: PropertyListValue {
        switch self {
        case .components(let components, let space): [.string(space), PropertyListValue(components)]
        case .archive(let archive): .data(archive)
        }
    }

    /// Recognizes the form of a stored value.
    init(_ stored: PropertyListValue) throws(ValueDecodingError) {
        switch stored {
        case .data(let archive): self = .archive(archive)
        case .array(let parts):
            guard parts.count == 2 else {
                throw .unreadable(stored, reason: "a color has a color space and components, not \(parts.count) parts")
            }
            let space = try Self.part(0, of: parts, as: String.self)
            let components = try Self.part(1, of: parts, as: [Double].self)
            self = .components(components, space: space)
        default: throw .typeMismatch(expected: .array, found: stored)
        }
    }

    /// Checks the number of components, which includes the opacity, against the number that the color space needs.
    ///
    /// Core Graphics does not check it, and would read beyond the end of the array.
    static func check(
        _ components: [Double],
        fit count: Int,
        in stored: PropertyListValue
    ) throws(ValueDecodingError) {
        guard components.count == count + 1 else {
            throw .unreadable(
                stored,
                reason: "a color of this color space has \(count + 1) components, not \(components.count)"
            )
        }
    }

    private static func part<Part: PropertyListConvertible>(
        _ index: Int,
        of parts: [PropertyListValue],
        as type: Part.Type
    ) throws(ValueDecodingError) -> Part {
        do throws(ValueDecodingError) {
            return try Part(propertyListValue: parts[index])
        } catch {
            throw error.nested(under: .index(index))
        }
    }
}
