/// The load harness: measures a running gateway beside the plain MongoDB driver.
///
/// Entry type: [Main]. It talks to the gateway over HTTP only and depends on none of its classes.
@NullMarked
package org.restheart.perftest;

import org.jspecify.annotations.NullMarked;
