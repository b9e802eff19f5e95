#if Etcd
import Foundation

extension RawClient {
    /// Writes a number, and blocks the thread until the cluster has it.
    ///
    /// - Returns: The time that the task waited, without that of waking the thread.
    @discardableResult
    func put(_ number: Int, forKey key: String) throws -> Duration {
        let request = Etcdserverpb_TxnRequest.put([(key, number)])
        return try run { calls in
            let start = Stopwatch.wall.now
            _ = try await calls.commit(request)
            return Stopwatch.wall.now - start
        }
    }

    /// Writes numbers from 0 on as the values of keys in turn.
    func fill(_ prefix: String, count: Int) throws {
        for start in stride(from: 0, to: count, by: 100) {
            let names = (start..<min(start + 100, count)).map { ("\(prefix)\(ClusterPlace.name($0))", $0) }
            let request = Etcdserverpb_TxnRequest.put(names)
            _ = try run { try await $0.commit(request) }
        }
    }

    /// Removes all keys with a prefix.
    func remove(_ prefix: String) throws {
        try run { calls in
            var deletion = Etcdserverpb_DeleteRangeRequest()
            (deletion.key, deletion.rangeEnd) = Etcdserverpb_RangeRequest.range(of: prefix)
            var operation = Etcdserverpb_RequestOp()
            operation.requestDeleteRange = deletion
            var request = Etcdserverpb_TxnRequest()
            request.success = [operation]
            _ = try await calls.commit(request)
        }
    }

    /// Reads all entries with a prefix as of one revision.
    ///
    /// - Parameters:
    ///   - prefix: The prefix.
    ///   - pageSize: The most entries that one call reads; 0 for all.
    /// - Returns: Their number.
    func range(_ prefix: String, pageSize: Int64 = 0) throws -> Int {
        try run { calls in
            var request = Etcdserverpb_RangeRequest()
            (request.key, request.rangeEnd) = Etcdserverpb_RangeRequest.range(of: prefix)
            request.limit = pageSize
            var count = 0
            while true {
                let response = try await calls.range(request)
                count += response.kvs.count
                guard response.more, let last = response.kvs.last else { return count }
                request.key = last.key + [0]
                if request.revision == 0 { request.revision = response.header.revision }
            }
        }
    }
}
#endif
