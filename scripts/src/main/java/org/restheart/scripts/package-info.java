/// A plugin of services and interceptors in JavaScript, run by GraalJS. It uses what plugins may use,
/// and nothing else of the gateway.
@NullMarked
package org.restheart.scripts;

import org.jspecify.annotations.NullMarked;
