import ArgumentParser
import Keyspan

/// `incr`: adds to a number.
struct IncrementCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "incr",
        abstract: "Add a number to the value of a key, and print the sum.",
        usage: "keyspan incr <domain> <key> [<number>]",
        discussion: """
            The number is 1 if it is omitted, and may be negative. An absent key counts as 0. An integer stays an integer, \
            from -9223372036854775808 to 18446744073709551615, and a float stays a float.

            \(NestedName.discussionOfWriting)

            No change by another process is lost: if one comes first, the number is added to its value.
            """
    )

    @Argument(help: .domain, completion: .domain)
    var domain: String

    @Argument(help: "The key.", completion: .key)
    var key: String

    // The parser takes a negative number for an option that it does not know.
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("The number to add.", valueName: "number"))
    var numbers: [String] = []

    @Option(name: .format, help: "The format of the sum.")
    var output = LineFormat.text

    func run() throws {
        let summand = try number
        var sum = summand
        let place = try Domain(argument: domain, in: DomainFolder(), for: .writing)
        try place.write(reaching: [key], keepsValues: false) { (table, batch) throws(ToolError) in
            sum = try Increment(of: summand, to: key).sum(with: table[key])
            batch.expect(table[key], forKey: key)
            batch.set(sum, forKey: key)
        }
        do throws(ToolError) {
            switch output {
            case .text: try StandardStream.output.writeLine(OldStyleWriter.scalarText(of: sum))
            case .json: try ExportFormat.json.write(.value(sum), to: .output)
            }
        } catch {
            // A script that took this for a failure to add would add twice.
            throw ToolError(
                status: error.status,
                message:
                    "The sum \(OldStyleWriter.scalarText(of: sum)) of the key \(key.quoted) is stored, but could not be printed; read "
                    + "it with `keyspan get`."
            )
        }
    }

    private var number: PropertyListValue {
        get throws(ToolError) {
            // The parser leaves the terminator among the words that it does not know.
            let numbers = numbers.first == "--" ? numbers.dropFirst() : numbers[...]
            guard let text = numbers.first else { return 1 }
            guard numbers.count == 1, let number = Increment.number(text) else {
                throw .usage(
                    "\(numbers.count == 1 ? "The word" : "More than one word") after the key is not a number to add; give one "
                        + "number, such as 5, -1 or 0.5."
                )
            }
            return number
        }
    }
}

/// The addition of a number to the value of a key.
struct Increment {
    private let summand: PropertyListValue
    private let key: String

    /// Makes an addition of an integer or a real.
    init(of summand: PropertyListValue, to key: String) {
        self.summand = summand
        self.key = key
    }

    /// The number in a text: an integer if it is one, or else a finite real.
    static func number(_ text: String) -> PropertyListValue? {
        if let integer = ScalarArgument.value(text, as: .integer) { return integer }
        // A number without a fraction is meant as an integer, even if it is out of range.
        let hasFraction = text.utf8.contains { !$0.isDigit && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "+") }
        guard hasFraction, let real = ScalarArgument.value(text, as: .real), real.realValue?.isFinite == true else {
            return nil
        }
        return real
    }

    /// The sum with the present value.
    ///
    /// - Throws: ``ToolError`` if the present value is not a number, or if its kind cannot hold the sum.
    func sum(with present: PropertyListValue?) throws(ToolError) -> PropertyListValue {
        let name = key.quoted
        switch (present, summand) {
        case (nil, _): return summand
        case (.integer(let present)?, .integer(let summand)):
            // Two numbers of 65 bits have a sum of 66 bits.
            guard let left = present.converted(to: Int128.self), let right = summand.converted(to: Int128.self),
                let sum = PropertyListInteger(exactly: left + right)
            else {
                throw .failure(
                    "The sum for the key \(name) is outside of -9223372036854775808 to 18446744073709551615; nothing was "
                        + "changed, add a smaller number."
                )
            }
            return .integer(sum)
        case (.integer?, _):
            throw .failure("The key \(name) has an integer; add a whole number, or store a float first with -float.")
        case (.real(let present)?, _):
            let sum = present + (summand.realValue ?? Self.rounded(summand))
            guard sum.isFinite else {
                throw .failure("The sum for the key \(name) is not finite; nothing was changed, add a smaller number.")
            }
            return .real(sum)
        case (let present?, _):
            throw .failure(
                "The key \(name) has a value of the kind \(present.kind.name), to which nothing can be added; store a number "
                    + "first with -int or -float."
            )
        }
    }

    /// The nearest real to an integer.
    private static func rounded(_ value: PropertyListValue) -> Double {
        guard let integer = value.integerValue?.converted(to: Int128.self) else { return .nan }
        return Double(integer)
    }
}
