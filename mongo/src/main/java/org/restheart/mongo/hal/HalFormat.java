package org.restheart.mongo.hal;

import org.bson.BsonDocument;
import org.restheart.bson.Utf8Buffer;
import org.restheart.mongo.format.DocumentFormat;

/// Writes a list as HAL: its children in `_embedded`, by relation.
final class HalFormat implements DocumentFormat {
    private final HalPage page;
    private final Members members;
    private String relation = "";

    HalFormat(HalPage page, Members members) {
        this.page = page;
        this.members = members;
    }

    @Override
    public String mediaType() {
        return HalPage.MEDIA_TYPE;
    }

    @Override
    public void begin(Utf8Buffer out) {
        out.put((byte) '{');
        members.members(page.head(), out);
    }

    @Override
    public void document(BsonDocument document, long index, Utf8Buffer out) {
        var its = page.relation().apply(document);
        if (index == 0) {
            members.name("_embedded", out);
            out.ascii("{\"" + its + "\": [");
        } else {
            out.ascii(its.equals(relation) ? ", " : "], \"" + its + "\": [");
        }
        relation = its;
        members.value(page.represent().apply(document), out);
    }

    @Override
    public void end(long count, Utf8Buffer out) {
        if (count > 0) {
            out.ascii("]}");
        } else {
            members.members(page.ifNone(), out);
        }
        members.member("_returned", count, out);
        if (!page.links().isEmpty()) {
            members.member(Links.MEMBER, page.links().toDocument(), out);
        }
        out.put((byte) '}');
    }
}
