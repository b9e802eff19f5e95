import Foundation

@testable import KeyspanEtcd

/// The bytes of a request on the wire, which a cluster limits.
///
/// They are counted here because the tests do not depend on the library that encodes messages.
extension Etcdserverpb_TxnRequest {
    /// The number of bytes of the encoded message.
    var encodedSize: Int {
        compare.reduce(0) { $0 + field($1.encodedSize) } + success.reduce(0) { $0 + field($1.encodedSize) }
            + failure.reduce(0) { $0 + field($1.encodedSize) }
    }
}

extension Etcdserverpb_RequestOp {
    fileprivate var encodedSize: Int {
        switch request {
        case .requestPut(let put)?:
            field(field(put.key.count) + field(put.value.count) + (put.lease == 0 ? 0 : 1 + varint(UInt64(put.lease))))
        case .requestDeleteRange(let deletion)?:
            field(field(deletion.key.count) + (deletion.rangeEnd.isEmpty ? 0 : field(deletion.rangeEnd.count)))
        case .requestRange(let range)?: field(field(range.key.count))
        case nil: 0
        }
    }
}

extension Etcdserverpb_Compare {
    fileprivate var encodedSize: Int {
        let target: Int =
            switch targetUnion {
            case .version(let number)?, .createRevision(let number)?, .modRevision(let number)?, .lease(let number)?:
                1 + varint(UInt64(bitPattern: number))
            case .value(let value)?: field(value.count)
            case nil: 0
            }
        return 2 + field(key.count) + target
    }
}

/// The bytes of a field with contents of a length: the tag, the length, the contents.
private func field(_ size: Int) -> Int { 1 + varint(UInt64(size)) + size }

/// The bytes of a number.
private func varint(_ number: UInt64) -> Int { max(1, (64 - number.leadingZeroBitCount + 6) / 7) }
