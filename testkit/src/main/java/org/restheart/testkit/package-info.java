/// The test fixtures of all modules: a real replica set, found or started once per test run, with one database per test
/// class ([WithMongo], [TestMongo]); requests with and without a server ([TestClient], [TestRequests]); and conformance
/// cases as data.
///
/// In test scope only. Must not know: the gateway's own modules, except `http` and how to run a mongod.
@NullMarked
package org.restheart.testkit;

import org.jspecify.annotations.NullMarked;
