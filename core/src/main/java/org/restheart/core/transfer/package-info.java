/// The commands `import`, `export` and `apply`: clients of a gateway, which need neither configuration nor MongoDB.
/// [Transfer] is the entry point.
@NullMarked
package org.restheart.core.transfer;

import org.jspecify.annotations.NullMarked;
