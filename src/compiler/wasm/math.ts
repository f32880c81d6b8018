// Functions of real numbers on four lanes at once, to float32 accuracy. Polynomials are minimax fits, rounded to
// float32. Every function takes its operands in locals and leaves the result on the stack.
import { f32, f64, i32, type Assembler } from "./assembler.js";
import { inHalves } from "./doubles.js";

/** What the engine can do beyond SIMD. */
export interface Features {
  /** Fused multiply-add (relaxed SIMD). */
  readonly fma: boolean;
}

// V8 makes abs and neg of three instructions each; with the mask in a register it is one.
const signBit = i32(0x80000000);
const magnitude = i32(0x7fffffff);
const smallestNormal = f32(1.1754943508222875e-38);
// ln 2 in two parts, the first so short that its multiples are exact.
const ln2High = f32(0.693145751953125);
const ln2Low = f32(1.428606765330187e-6);
/**
 * Added to a number below 2^22, it leaves the nearest whole number in the lowest bits, plus whatever is added to it
 * here: 127 makes these bits, shifted up, the power of two with that exponent.
 */
const rounder = (plus: number) => f32(12582912 + plus);

export class VectorMath {
  constructor(
    private readonly asm: Assembler,
    private readonly features: Features,
  ) {}

  /** Stack: a, b become a · b + c; `c` pushes the third. */
  private multiplyAdd(c: () => void): void {
    if (this.features.fma) this.asm.run`${c} f32x4.relaxed_madd`;
    else this.asm.run`f32x4.mul ${c} f32x4.add`;
  }

  /** A polynomial of a local, coefficients from the highest power down. */
  private polynomial(x: number, [highest, ...rest]: readonly number[]): void {
    const { asm } = this;
    asm.f32x4(highest);
    for (const coefficient of rest) {
      asm.get(x);
      this.multiplyAdd(() => asm.f32x4(coefficient));
    }
  }

  /** 2^n for whole numbers n, -126 to 127, given as int32 on the stack. */
  private readonly powerOfTwo = (): void => {
    this.asm.run`${i32(127)} i32x4.add 23 i32x4.shl`;
  };

  /** What is on the stack, with a constant where a mask is set. */
  private replaceWhere(value: number, mask: () => void): void {
    this.asm.with((rest) => this.asm.run`${f32(value)} ${rest} ${mask} v128.bitselect`);
  }

  /** What is on the stack, but x itself where that is a zero of either sign. */
  private keepZero(x: number): void {
    this.asm.with((value) => this.asm.run`${x} ${value} ${x} ${f32(0)} f32x4.eq v128.bitselect`);
  }

  // ---- exponentials -----------------------------------------------------------------------------------

  exp(x: number): void {
    const { asm } = this;
    asm.withLocals(4, (y, n, r, bits) => {
      // Beyond these the result is infinite or zero; NaN passes.
      asm.run`${x} ${f32(89)} f32x4.pmin ${f32(-104.5)} f32x4.pmax =${y}
        ${y} ${f32(Math.LOG2E)} f32x4.mul ${rounder(254)} f32x4.add =${bits} ${bits} ${rounder(254)} f32x4.sub =${n}
        ${y} ${n} ${ln2High} f32x4.mul f32x4.sub ${n} ${ln2Low} f32x4.mul f32x4.sub =${r}`;
      this.polynomial(
        r,
        [0.0013951562577858567, 0.00836953055113554, 0.041666191071271896, 0.16666513681411743, 0.5],
      );
      asm.run`${r} ${r} f32x4.mul f32x4.mul ${r} f32x4.add ${f32(1)} f32x4.add`;
      // Scaled by two halves of n, for 2^n alone may be out of range; 254 has a 127 for either.
      asm.run`${bits} 1 i32x4.shr_u =${n} ${n} 23 i32x4.shl f32x4.mul
        ${bits} ${n} i32x4.sub 23 i32x4.shl f32x4.mul`;
    });
  }

  expm1(x: number): void {
    const { asm } = this;
    // Near zero the series without its first term; elsewhere nothing cancels.
    this.polynomial(
      x,
      [
        0.00019999021606054157, 0.0014001794625073671, 0.008333051577210426, 0.0416652075946331,
        0.1666666865348816, 0.5000000596046448,
      ],
    );
    asm.run`${x} ${x} f32x4.mul f32x4.mul ${x} f32x4.add`;
    this.exp(x);
    asm.run`${f32(1)} f32x4.sub ${x} ${magnitude} v128.and ${f32(0.5)} f32x4.lt v128.bitselect`;
    this.keepZero(x);
  }

  /** 1 / (1 + exp(-x)), from exp of -|x|, which cannot overflow. */
  logistic(x: number): void {
    const { asm } = this;
    asm.run`${x} ${magnitude} v128.and ${signBit} v128.xor`.with((y) => this.exp(y));
    asm.with((e) => {
      asm.run`${f32(1)} ${e} ${x} ${f32(0)} f32x4.ge v128.bitselect ${e} ${f32(1)} f32x4.add f32x4.div`;
    });
  }

  /**
   * With y = -|x| = r + n · ln 2 / 2 and h = tanh r, a short series: ((2^n + 1) h + 2^n - 1) / ((2^n - 1) h + 2^n + 1).
   * Few constants matter as much as few steps: there are 16 registers.
   */
  tanh(x: number): void {
    const { asm } = this;
    asm.withLocals(4, (r, n, u, scale) => {
      asm.run`${x} ${signBit} v128.or ${f32(-10.4)} f32x4.pmax =${r}
        ${r} ${f32(2 / Math.LN2)} f32x4.mul ${rounder(127)} f32x4.add =${n} ${n} 23 i32x4.shl =${scale}
        ${r} ${n} ${rounder(127)} f32x4.sub ${f32(Math.LN2 / 2)} f32x4.mul f32x4.sub =${r}
        ${r} ${r} f32x4.mul =${u}`;
      this.polynomial(u, [0.1310642957687378, -0.33331194519996643]);
      asm.run`${u} ${r} f32x4.mul f32x4.mul ${r} f32x4.add =${r}`;
      const [low, high] = [n, u];
      asm.run`${scale} ${f32(1)} f32x4.sub =${low} ${scale} ${f32(1)} f32x4.add =${high} ${high} ${r}`;
      this.multiplyAdd(() => asm.get(low));
      asm.run`${low} ${r}`;
      this.multiplyAdd(() => asm.get(high));
      // The quotient is -tanh|x|; the sign of x goes over it.
      asm.run`f32x4.div =${r} ${x} ${r} ${signBit} v128.bitselect`;
    });
  }

  // ---- logarithms -------------------------------------------------------------------------------------

  /** Sets locals to the exponent (a float) and mantissa (between √½ and √2) of a positive number. */
  private split(x: number, exponent: number, mantissa: number): void {
    const { asm } = this;
    asm.withLocals(2, (isTiny, scaled) => {
      // Subnormals are scaled up first.
      asm.run`${x} ${smallestNormal} f32x4.lt =${isTiny}
        ${x} ${f32(8388608)} f32x4.mul ${x} ${isTiny} v128.bitselect =${scaled}
        ${scaled} ${i32(0x3f3504f3)} i32x4.sub 23 i32x4.shr_s =${exponent}
        ${scaled} ${exponent} 23 i32x4.shl i32x4.sub =${mantissa}
        ${exponent} f32x4.convert_i32x4_s ${f32(23)} ${isTiny} v128.and f32x4.sub =${exponent}`;
    });
  }

  log(x: number): void {
    const { asm } = this;
    asm.withLocals(3, (n, f, z) => {
      this.split(x, n, f);
      asm.run`${f} ${f32(1)} f32x4.sub =${f} ${f} ${f} f32x4.mul =${z} ${n} ${ln2Low} f32x4.mul`;
      this.polynomial(
        f,
        [
          0.06914544105529785, -0.11788276582956314, 0.11872497200965881, -0.12384596467018127,
          0.1421876847743988, -0.16669239103794098, 0.20002219080924988, -0.24999986588954926,
          0.3333331048488617,
        ],
      );
      asm.run`${f} f32x4.mul ${z} f32x4.mul ${z} ${f32(0.5)} f32x4.mul f32x4.sub f32x4.add ${f} f32x4.add
        ${n} ${ln2High} f32x4.mul f32x4.add =${z}`;
      // Infinity and NaN are their own logarithms.
      asm.run`${x} ${z} ${x} ${f32(Infinity)} f32x4.lt v128.not v128.bitselect`;
    });
    this.replaceWhere(-Infinity, () => asm.run`${x} ${f32(0)} f32x4.eq`);
    this.replaceWhere(NaN, () => asm.run`${x} ${f32(0)} f32x4.lt`);
  }

  /** log(u) · (x / (u - 1)) with u = 1 + x makes up for what the sum lost. */
  log1p(x: number): void {
    const { asm } = this;
    asm.withLocals(3, (u, logarithm, mended) => {
      asm.run`${x} ${f32(1)} f32x4.add =${u}`;
      this.log(u);
      asm.run`=${logarithm} ${x} ${u} ${f32(1)} f32x4.sub f32x4.div ${logarithm} f32x4.mul =${mended}`;
      // Where the sum is 1 the logarithm is x itself; where it is infinite there is nothing to mend.
      asm.run`${logarithm} ${mended} ${u} ${f32(Infinity)} f32x4.eq v128.bitselect =${mended}
        ${x} ${mended} ${u} ${f32(1)} f32x4.eq v128.bitselect`;
    });
  }

  /** max(x, y) + log1p(exp(-|x - y|)); equal infinities have no difference. */
  logaddexp(x: number, y: number): void {
    const { asm } = this;
    asm.run`${x} ${y} f32x4.max ${f32(0)} ${x} ${y} f32x4.sub ${magnitude} v128.and ${signBit} v128.xor ${x} ${y} f32x4.eq v128.bitselect`;
    asm.with((gap) => this.exp(gap));
    asm.with((e) => this.log1p(e));
    asm.run`f32x4.add`;
  }

  // ---- trigonometry -----------------------------------------------------------------------------------

  sin(x: number): void {
    this.sinOrCos(x, 0);
    this.keepZero(x);
  }

  cos(x: number): void {
    this.sinOrCos(x, 1);
  }

  /** sin(x + quarters · π/2). The quarter turns are taken off in double precision. */
  private sinOrCos(x: number, quarters: 0 | 1): void {
    const { asm } = this;
    asm.withLocals(4, (r, q, wide, turns) => {
      const reduce = (): void => {
        // π/2 in two parts, the first so short that its multiples are exact.
        asm.run`f64x2.promote_low_f32x4 =${wide} ${wide} ${f64(2 / Math.PI)} f64x2.mul f64x2.nearest =${turns}
          ${wide} ${turns} ${f64(1.5707963267341256)} f64x2.mul f64x2.sub
          ${turns} ${f64(6.077100506506192e-11)} f64x2.mul f64x2.sub f32x4.demote_f64x2_zero`;
      };
      asm.get(x).run`${reduce} =${r} ${turns} i32x4.trunc_sat_f64x2_s_zero =${q}`;
      asm.get(r).get(x).get(x).shuffle([2, 3, 2, 3]).run`${reduce}`.shuffle([0, 1, 4, 5]);
      // Bounded even where the reduction has no digits left.
      asm.run`${f32(0.8)} f32x4.pmin ${f32(-0.8)} f32x4.pmax =${r}`;
      asm.run`${q} ${turns} i32x4.trunc_sat_f64x2_s_zero`.shuffle([0, 1, 4, 5])
        .run`${i32(quarters)} i32x4.add =${q}`;
      const z = turns;
      asm.run`${r} ${r} f32x4.mul =${z}`;
      this.polynomial(z, [2.4425689844065346e-5, -0.0013887251261621714, 0.04166664555668831]);
      asm.run`${z} ${z} f32x4.mul f32x4.mul ${z} ${f32(0.5)} f32x4.mul f32x4.sub ${f32(1)} f32x4.add`;
      this.polynomial(z, [-0.00019510868878569454, 0.008332131430506706, -0.16666653752326965]);
      asm.run`${z} f32x4.mul ${r} f32x4.mul ${r} f32x4.add`;
      // Odd quarters take the cosine, the second half turn the other sign.
      asm.run`${q} ${i32(1)} v128.and ${i32(1)} i32x4.eq v128.bitselect ${q} ${i32(2)} v128.and 30 i32x4.shl v128.xor`;
    });
  }

  atan2(y: number, x: number): void {
    const { asm } = this;
    asm.withLocals(4, (ay, ax, large, z) => {
      asm.run`${y} ${magnitude} v128.and =${ay} ${x} ${magnitude} v128.and =${ax} ${ax} ${ay} f32x4.max =${large}
        ${ax} ${ay} f32x4.min ${large} f32x4.div`;
      // 0 / 0 is 0 and ∞ / ∞ is 1 here.
      this.replaceWhere(0, () => asm.run`${large} ${f32(0)} f32x4.eq`);
      this.replaceWhere(
        1,
        () => asm.run`${ax} ${f32(Infinity)} f32x4.eq ${ay} ${f32(Infinity)} f32x4.eq v128.and`,
      );
      const ratio = large;
      asm.run`=${ratio} ${ratio} ${ratio} f32x4.mul =${z}`;
      this.polynomial(
        z,
        [
          0.0029037953354418278, -0.0162840336561203, 0.04304115101695061, -0.07533840090036392,
          0.10654763132333755, -0.14207158982753754, 0.1999305784702301, -0.3333309292793274,
        ],
      );
      const angle = z;
      // The octants: beyond 45°, to the left, below.
      asm.run`${z} f32x4.mul ${ratio} f32x4.mul ${ratio} f32x4.add =${angle}
        ${f32(Math.PI / 2)} ${angle} f32x4.sub ${angle} ${ax} ${ay} f32x4.lt v128.bitselect =${angle}
        ${f32(Math.PI)} ${angle} f32x4.sub ${angle} ${x} 31 i32x4.shr_s v128.bitselect ${y} ${signBit} v128.and v128.or`;
    });
  }

  // ---- the error function -----------------------------------------------------------------------------

  erf(x: number): void {
    const { asm } = this;
    asm.withLocals(2, (size, z) => {
      asm.run`${x} ${magnitude} v128.and ${f32(4.2)} f32x4.pmin =${size} ${size} ${size} f32x4.mul =${z}`;
      this.polynomial(
        z,
        [
          7.854025170672685e-5, -0.0008010247256606817, 0.00518833426758647, -0.026853816583752632,
          0.1128358542919159, -0.3761262595653534, 1.1283791065216064,
        ],
      );
      // From about 1 on, 1 - exp(-x²) · a polynomial in 1 / (1 + x/2).
      asm.run`${size} f32x4.mul ${f32(1)} ${z} ${signBit} v128.xor =${z}`;
      this.exp(z);
      asm.run`${f32(1)} ${size} ${f32(0.5)} f32x4.mul ${f32(1)} f32x4.add f32x4.div =${z}`;
      this.polynomial(
        z,
        [
          -0.22857195138931274, 0.6301604509353638, -0.05686081200838089, 0.39238786697387695,
          0.26097798347473145, 0.0016751728253439069,
        ],
      );
      asm.run`f32x4.mul f32x4.sub ${size} ${f32(0.95)} f32x4.lt v128.bitselect ${x} ${signBit} v128.and v128.or`;
    });
  }

  /** Giles' form: erfInv(x) / x is smooth in w = -log(1 - x²), and in √w for large w. */
  erfInv(x: number): void {
    const { asm } = this;
    asm.withLocals(2, (w, u) => {
      asm.run`${f32(1)} ${x} f32x4.sub ${x} ${f32(1)} f32x4.add f32x4.mul =${w}`;
      this.log(w);
      asm.run`${signBit} v128.xor =${w} ${w} ${f32(2.5)} f32x4.sub =${u}`;
      this.polynomial(
        u,
        [
          2.8534747897879242e-8, 3.4372709478702745e-7, -3.5288589970150497e-6, -4.396781605464639e-6,
          0.00021860218839719892, -0.001253707567229867, -0.004177707713097334, 0.24664072692394257,
          1.5014094114303589,
        ],
      );
      asm.run`${w} f32x4.sqrt ${f32(3)} f32x4.sub =${u}`;
      this.polynomial(
        u,
        [
          -0.0001275135000469163, 5.679887908627279e-5, 0.0012474082177504897, -0.003629363374784589,
          0.0057868617586791515, -0.007633944507688284, 0.00943154376000166, 1.0016746520996094,
          2.832977056503296,
        ],
      );
      asm.run`${w} ${f32(5)} f32x4.lt v128.bitselect ${x} f32x4.mul =${u}
        ${x} ${f32(Infinity)} f32x4.mul ${u} ${x} ${magnitude} v128.and ${f32(1)} f32x4.eq v128.bitselect`;
    });
  }

  // ---- powers -----------------------------------------------------------------------------------------

  /** |x|^y by exp2(y · log2|x|) in double precision, then the signs and the cases that have rules of their own. */
  pow(x: number, y: number): void {
    const { asm } = this;
    asm.withLocals(5, (size, exponent, mantissa, lowTurns, highTurns) => {
      asm.run`${x} ${magnitude} v128.and =${size}`;
      this.split(size, exponent, mantissa);
      let turns = lowTurns;
      inHalves(asm, [mantissa, exponent, y], (m, e, power) => {
        asm.withLocals(2, (s, z) => {
          // log2((1 + s) / (1 - s)) = 2 / ln 2 · (s + s³/3 + s⁵/5 + …)
          asm.run`${m} ${f64(1)} f64x2.sub ${m} ${f64(1)} f64x2.add f64x2.div =${s} ${s} ${s} f64x2.mul =${z}`;
          asm.run`${f64(1 / 15)}`;
          for (const odd of [13, 11, 9, 7, 5, 3, 1]) asm.run`${z} f64x2.mul ${f64(1 / odd)} f64x2.add`;
          // Beyond ±300 the result is infinite or zero.
          asm.run`${s} f64x2.mul ${f64(2 * Math.LOG2E)} f64x2.mul ${e} f64x2.add ${power} f64x2.mul
            ${f64(300)} f64x2.pmin ${f64(-300)} f64x2.pmax =${s} ${s} f64x2.nearest =${turns}
            ${s} ${turns} f64x2.sub ${f64(Math.LN2)} f64x2.mul =${z} ${f64(1 / 3628800)}`;
          for (const factorial of [362880, 40320, 5040, 720, 120, 24, 6, 2, 1, 1]) {
            asm.run`${z} f64x2.mul ${f64(1 / factorial)} f64x2.add`;
          }
        });
        turns = highTurns;
      });
      asm.run`${lowTurns} i32x4.trunc_sat_f64x2_s_zero ${highTurns} i32x4.trunc_sat_f64x2_s_zero`;
      asm.shuffle([0, 1, 4, 5]);
      // Scaled by 2^n in three steps, each within range.
      const [n, third] = [lowTurns, highTurns];
      asm.run`=${n} ${n} f32x4.convert_i32x4_s ${f32(1 / 3)} f32x4.mul f32x4.nearest i32x4.trunc_sat_f32x4_s =${third}
        ${third} ${this.powerOfTwo} f32x4.mul ${third} ${this.powerOfTwo} f32x4.mul
        ${n} ${third} 1 i32x4.shl i32x4.sub ${this.powerOfTwo} f32x4.mul`;
      this.powCases(x, y, size);
    });
  }

  /** What pow gives where the logarithm of |x| or its product with y says nothing, as in C. */
  private powCases(x: number, y: number, size: number): void {
    const { asm } = this;
    for (const [edge, whenPositive, whenNegative] of [
      [0, 0, Infinity],
      [Infinity, Infinity, 0],
    ]) {
      const isEdge = () => asm.run`${size} ${f32(edge)} f32x4.eq`;
      this.replaceWhere(whenPositive, () => asm.run`${isEdge} ${y} ${f32(0)} f32x4.gt v128.and`);
      this.replaceWhere(whenNegative, () => asm.run`${isEdge} ${y} ${f32(0)} f32x4.lt v128.and`);
    }
    this.replaceWhere(
      1,
      () => asm.run`${size} ${f32(1)} f32x4.eq ${y} ${magnitude} v128.and ${f32(Infinity)} f32x4.eq v128.and`,
    );
    // A negative base keeps its sign for odd powers and has no result for broken ones.
    const isWhole = () => asm.run`${y} ${y} f32x4.trunc f32x4.eq`;
    asm.run`${y} ${f32(0.5)} f32x4.mul`.with((half) => asm.run`${half} ${half} f32x4.trunc f32x4.ne`);
    asm.run`${isWhole} v128.and ${x} v128.and ${signBit} v128.and v128.xor`;
    this.replaceWhere(
      NaN,
      () =>
        asm.run`${x} ${f32(0)} f32x4.lt ${size} ${f32(Infinity)} f32x4.lt v128.and ${isWhole} v128.not v128.and`,
    );
    this.replaceWhere(NaN, () => asm.run`${x} ${x} f32x4.ne`);
    this.replaceWhere(1, () => asm.run`${y} ${f32(0)} f32x4.eq ${x} ${f32(1)} f32x4.eq v128.or`);
  }
}
