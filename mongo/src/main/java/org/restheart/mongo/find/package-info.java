/// Queries as values ([FindQuery], [DocumentQuery], [CountQuery]), and their execution ([Finder]; [DriverFinder] over
/// the driver). The value contains everything that affects the result, so that equal queries may share one result.
///
/// Must not know: HTTP, representations.
@NullMarked
package org.restheart.mongo.find;

import org.jspecify.annotations.NullMarked;
