/// A MongoDB of one's own for trying things out and for tests: finds a mongod ([MongodBinary]), runs it as
/// a child process and as a replica set of one member ([EmbeddedMongo]), since transactions and change
/// streams need one.
///
/// The child never outlives this process, however it ends. Must not know: HTTP, the gateway's
/// configuration.
@NullMarked
package org.restheart.embedded;

import org.jspecify.annotations.NullMarked;
