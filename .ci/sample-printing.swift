// Compiled with the samples that state what they print: the number of the line comes with the text, so that both can be compared.
import Foundation

func printLine(_ items: Any..., separator: String = " ", terminator: String = "\n", line: Int = #line) {
    let text = items.map { "\($0)" }.joined(separator: separator) + terminator
    FileHandle.standardOutput.write(Data("\u{2}\(line)\u{3}\(text)\u{4}".utf8))
}

/// The samples behind this are compiled, and not run.
func endSamples() { exit(0) }
