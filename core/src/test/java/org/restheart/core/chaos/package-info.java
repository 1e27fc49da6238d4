/// Fault injection: a deployment of several `mongod` and gateways, clients that record what was acknowledged to them,
/// and faults in the order of a seed ([ChaosTest]). Nothing acknowledged may be lost, doubled or reordered.
///
/// Must not know: how the gateway is made; it is used over HTTP only.
@NullMarked
package org.restheart.core.chaos;

import org.jspecify.annotations.NullMarked;
