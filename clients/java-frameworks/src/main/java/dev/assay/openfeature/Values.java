package dev.assay.openfeature;

import dev.openfeature.sdk.MutableStructure;
import dev.openfeature.sdk.Value;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Turns variables into OpenFeature's values. */
final class Values {
    private Values() {}

    static Value of(Object value) {
        if (value instanceof Map<?, ?> map) {
            MutableStructure structure = new MutableStructure();
            map.forEach((name, entry) -> structure.add(String.valueOf(name), of(entry)));
            return new Value(structure);
        }
        if (value instanceof List<?> list) {
            List<Value> values = new ArrayList<>();
            for (Object entry : list) values.add(of(entry));
            return new Value(values);
        }
        if (value instanceof Boolean flag) return new Value(flag);
        if (value instanceof Instant instant) return new Value(instant);
        if (value instanceof Number number) {
            double amount = number.doubleValue();
            return amount == (int) amount ? new Value((int) amount) : new Value(amount);
        }
        return value == null ? new Value() : new Value(value.toString());
    }
}
