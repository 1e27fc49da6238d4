package org.restheart.security.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.jose.util.Resource;
import com.nimbusds.jose.util.ResourceRetriever;
import java.io.IOException;
import java.net.URL;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes out of a set of keys those that this gateway cannot use, so that they do not make the others useless (RFC
/// 7517, section 5), and logs why, once as long as the reasons stay the same. Thread-safe.
final class UsableKeys implements ResourceRetriever {
    private static final Logger LOG = LoggerFactory.getLogger(UsableKeys.class);
    private static final String KEYS = "keys";

    private final ResourceRetriever from;
    private volatile String problem = "";

    /// @param from gets the set
    UsableKeys(ResourceRetriever from) {
        this.from = from;
    }

    @Override
    public Resource retrieveResource(URL url) throws IOException {
        try {
            var resource = from.retrieveResource(url);
            var problems = new ArrayList<String>();
            var usable = of(resource.getContent(), problems);
            report(problems.isEmpty() ? "" : "Keys at " + url + " are not used: " + String.join("; ", problems));
            return new Resource(usable, resource.getContentType());
        } catch (ParseException e) {
            report("There is no set of keys (RFC 7517) at " + url);
            throw new IOException("not a set of keys", e);
        } catch (IOException e) {
            report("The keys of the token issuer cannot be loaded from " + url + ": " + e.getMessage());
            throw e;
        }
    }

    /// The set of a text that is at hand.
    static String of(String json) throws ParseException {
        var problems = new ArrayList<String>();
        var usable = of(json, problems);
        problems.forEach(why -> LOG.warn("A key of /jwtConfigProvider/jwks is not used: {}", why));
        return usable;
    }

    private static String of(String json, List<String> problems) throws ParseException {
        var set = JSONObjectUtils.parse(json);
        if (!(set.get(KEYS) instanceof List<?> keys)) {
            throw new ParseException("no keys", 0);
        }
        var usable = new ArrayList<Object>();
        for (var key : keys) {
            try {
                var _ = Jwt.Keys.verifier(JWK.parse(JSONObjectUtils.toJSONString(object(key))));
                usable.add(key);
            } catch (ParseException | JOSEException | IllegalArgumentException | IllegalStateException e) {
                problems.add(name(key) + " (" + e.getMessage() + ")");
            }
        }
        set.put(KEYS, usable);
        return JSONObjectUtils.toJSONString(set);
    }

    @SuppressWarnings("unchecked") // an object of JSON has texts as keys
    private static Map<String, Object> object(Object key) throws ParseException {
        if (key instanceof Map<?, ?> map) {
            return (Map<String, Object>) map;
        }
        throw new ParseException("is no JSON object", 0);
    }

    private static String name(Object key) {
        return key instanceof Map<?, ?> map && map.get("kid") instanceof String id ? id : "one without a kid";
    }

    private void report(String found) {
        if (!found.isEmpty() && !found.equals(problem)) {
            LOG.warn("{}", found.replaceAll("\\p{Cntrl}", "?"));
        }
        problem = found;
    }
}
