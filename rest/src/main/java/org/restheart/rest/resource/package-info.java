/// Maps paths to MongoDB resources: mounts, kinds of resources, document ids, reserved names. [ResourcePath] is
/// parsed once per request, before authentication.
///
/// Must not know: requests' parameters and content; the driver.
@NullMarked
package org.restheart.rest.resource;

import org.jspecify.annotations.NullMarked;
