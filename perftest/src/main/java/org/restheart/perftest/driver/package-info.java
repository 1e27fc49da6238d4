/// The subject everything is compared with: the plain MongoDB driver, platform threads, nothing in between.
///
/// Entry type: [DriverLoad].
@NullMarked
package org.restheart.perftest.driver;

import org.jspecify.annotations.NullMarked;
