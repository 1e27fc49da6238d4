/// Starts what is measured: MongoDB, the gateway, a server that answers from memory; and finds their processes.
///
/// Entry types: [GatewayProcess], [NullServer], [Mongo].
@NullMarked
package org.restheart.perftest.deploy;

import org.jspecify.annotations.NullMarked;
