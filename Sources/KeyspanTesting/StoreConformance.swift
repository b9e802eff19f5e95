internal import KeyspanCore
