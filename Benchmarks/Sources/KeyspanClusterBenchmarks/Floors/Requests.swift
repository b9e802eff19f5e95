#if Etcd
import Foundation

extension Etcdserverpb_TxnRequest {
    /// Writes numbers without a condition: what `Put` does, by the call that the store's client has.
    static func put(_ entries: [(key: String, number: Int)]) -> Etcdserverpb_TxnRequest {
        var request = Etcdserverpb_TxnRequest()
        request.success = entries.map { .put("\($0.number)", forKey: $0.key) }
        return request
    }
}

extension Etcdserverpb_RequestOp {
    /// Writes a text.
    static func put(_ text: String, forKey key: String) -> Etcdserverpb_RequestOp {
        var put = Etcdserverpb_PutRequest()
        (put.key, put.value) = (Data(key.utf8), Data(text.utf8))
        var operation = Etcdserverpb_RequestOp()
        operation.requestPut = put
        return operation
    }
}

extension Etcdserverpb_RangeRequest {
    /// The bounds of all keys with a prefix that ends with a slash.
    static func range(of prefix: String) -> (start: Data, end: Data) {
        // The character after the slash.
        (Data(prefix.utf8), Data((prefix.dropLast() + "0").utf8))
    }
}
#endif
