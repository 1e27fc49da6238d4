/// Starts the measured processes: MongoDB, the gateway, a server that responds from memory.
///
/// Entry types: [GatewayProcess], [NullServer], [Mongo].
@NullMarked
package org.restheart.perftest.deploy;

import org.jspecify.annotations.NullMarked;
