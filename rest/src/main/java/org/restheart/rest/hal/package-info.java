/// The HAL representation (draft-kelly-json-hal) and SHAL, its flat form: properties, embedded resources and links.
/// [HalPages] writes lists and single documents, with the links between documents that a collection declares.
///
/// Must not know: how resources are read.
@NullMarked
package org.restheart.rest.hal;

import org.jspecify.annotations.NullMarked;
