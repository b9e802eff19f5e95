import Foundation

/// Rows of text under a heading, aligned.
struct Table: CustomStringConvertible {
    private var rows: [[String]]

    /// Makes a table of measurements.
    init(_ measurements: [Measurement]) {
        rows = [["benchmark", "median", "min – max", "floor", "median", "ratio", "allocations", "bytes"]]
        for measurement in measurements {
            rows.append([
                measurement.name,
                Self.figure(measurement.subject.typical, measurement.unit),
                "\(Self.figure(measurement.subject.minimum, measurement.unit)) – "
                    + Self.figure(measurement.subject.maximum, measurement.unit),
                measurement.floorName,
                Self.figure(measurement.floor.typical, measurement.unit),
                Self.number(measurement.ratio),
                measurement.allocations.map(Self.count) ?? "n/a",
                measurement.bytes.map(Self.size) ?? "n/a",
            ])
        }
    }

    /// The lines; texts to the left, figures to the right.
    var description: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                let isText = column == 0 || column == 3
                return isText ? row[column] + padding : padding + row[column]
            }
            .joined(separator: "  ")
        }
        return lines.joined(separator: "\n")
    }

    private static func figure(_ figure: Double, _ unit: Unit) -> String {
        switch unit {
        case .nanoseconds: time(figure)
        case .bytes: size(figure)
        }
    }

    /// Nanoseconds in the unit that suits them, with three significant digits.
    private static func time(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1e3: "\(number(nanoseconds)) ns"
        case ..<1e6: "\(number(nanoseconds / 1e3)) µs"
        case ..<1e9: "\(number(nanoseconds / 1e6)) ms"
        default: "\(number(nanoseconds / 1e9)) s"
        }
    }

    /// Bytes in the unit that suits them.
    private static func size(_ bytes: Double) -> String {
        switch bytes {
        case ..<1e4: count(bytes)
        case ..<1e6: "\(number(bytes / 1e3)) kB"
        default: "\(number(bytes / 1e6)) MB"
        }
    }

    private static func number(_ number: Double) -> String {
        switch number {
        case ..<0.095: String(format: "%.3f", number)
        case ..<9.95: String(format: "%.2f", number)
        case ..<99.5: String(format: "%.1f", number)
        default: String(format: "%.0f", number)
        }
    }

    private static func count(_ count: Double) -> String {
        // Whole numbers, unless the fraction matters.
        String(format: count == count.rounded() || count > 99 ? "%.0f" : "%.2f", count)
    }
}
