/// Behavior that any client can see, as data: a YAML file of cases (given documents, a request, the
/// expected status, headers and body), run one by one as parameterized tests with [ConformanceFile]. The
/// format is described in docs/conformance.md.
///
/// Must not know: how the gateway is built; the test hands in a [RunningGateway].
@NullMarked
package org.restheart.testkit.conformance;

import org.jspecify.annotations.NullMarked;
