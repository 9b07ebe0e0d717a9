package org.jbmi.shipper.codec;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a record that travels as the input or output of a call, or as a part of one. When the
 * record is compiled, the annotation processor of {@code bmi-shipper-processor} writes a {@link
 * Codec} for it in the same package. For {@code WriteIn} this is the class {@code WriteInCodec},
 * for {@code Outer.In} the class {@code Outer_InCodec}.
 *
 * <p>Components may be of the types {@code int}, {@code long}, {@code short}, {@code byte}, {@code
 * float}, {@code double}, {@code boolean}, {@code String}, {@code byte[]}, and {@link BulkHandle}.
 * They may also be an enum, another shipped record, and {@code List} and {@code Optional} of all
 * these (there as boxes). None may be null. Anything else is an error of the compilation that names
 * the component.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface Shipped {}
