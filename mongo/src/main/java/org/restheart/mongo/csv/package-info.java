/// The service that loads CSV files into collections. [CsvLoader] is the door.
///
/// Must not know: mounts; the data API's resources.
@NullMarked
package org.restheart.mongo.csv;

import org.jspecify.annotations.NullMarked;
