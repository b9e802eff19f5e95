import Foundation
import KeyspanTestSupport

/// A terminal without a screen, to see what a program writes to a real one.
final class PseudoTerminal {
    /// The terminal as a program has it.
    let device: Int32
    private let controller: Int32

    init() throws {
        controller = try check(open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC))
        device = try check(open(Self.devicePath(of: controller), O_RDWR | O_NOCTTY | O_CLOEXEC))
    }

    deinit {
        close(device)
        close(controller)
    }

    /// Unlocks the device of a terminal and names it.
    private static func devicePath(of controller: Int32) throws -> String {
        #if os(Linux)
        // unlockpt(3) and ptsname(3), which Swift does not see on Linux, are these two requests: TIOCSPTLCK, TIOCGPTN.
        var (lock, number): (Int32, UInt32) = (0, 0)
        try check(ioctl(controller, 0x4004_5431, &lock))
        try check(ioctl(controller, 0x8004_5430, &number))
        return "/dev/pts/\(number)"
        #else
        try check(grantpt(controller))
        try check(unlockpt(controller))
        return ptsname(controller).map { String(cString: $0) } ?? ""
        #endif
    }

    /// Types a line, which waits for the program to read it.
    func type(_ line: String) throws { try send("\(line)\n", to: controller) }

    /// The output of a program that has ended, with a terminal's line ends converted to line feeds.
    func text() throws -> String {
        // Behind everything that the program wrote.
        let end = "\u{1}end"
        try send(end, to: device)
        var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while !bytes.suffix(end.utf8.count).elementsEqual(end.utf8) {
            var event = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
            guard poll(&event, 1, 60_000) == 1 else { throw POSIXError(.ETIMEDOUT) }
            let count = try check(read(controller, &chunk, chunk.count))
            bytes += chunk.prefix(count)
        }
        return String(decoding: bytes.dropLast(end.utf8.count), as: UTF8.self).replacing("\r\n", with: "\n")
    }

    private func send(_ text: String, to descriptor: Int32) throws {
        guard try check(write(descriptor, text, text.utf8.count)) == text.utf8.count else { throw POSIXError(.EIO) }
    }
}
