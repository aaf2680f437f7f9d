/** A sentence with known tokens and embedding: the first one of golden-embeddings.json. */
export const goldenText = 'FastAPI is a modern, fast web framework for building APIs with Python.'

/** The tokens of the sentence, including special tokens. */
export const goldenIds = [
  101, 3435, 9331, 2072, 2003, 1037, 2715, 1010, 3435, 4773, 7705, 2005, 2311, 17928, 2015, 2007,
  18750, 1012, 102,
]

/** The `int8` reference embedding: 384 signed bytes, scaled so that the largest is 127. */
export const goldenInt8 =
  '2AHqBxnm+e8MAgr2Ew4L9vvr/AMPAPff8B329PvUCOIN8wkT9Ab1DQ0U9RP9/OwT8O/79gj/CgT+JAADEf/iHwAO8fUK' +
  'AucQAB8F/hsBEhUP6/f5//YGEyAB7PUCDgYM/AHlf/ALBgcQ9fXoA+kB8Pz9CwfkC/kCAgsIBvAI/xTxHRIP5foJAQwB' +
  '9Qfr7v/o9yMPHOr3+Av46PMDEwwg/N8A8Aj5uwH56wMDDvgC/fTi9hUGAf/pEPzzAfsN7v4T4/8GBAcKDQDzGfUK9ev1' +
  '/wcC/f8GAOTv+w0IFvfsBJYP9gP25PfsEx0o/An89Q4M/ffy9vwH9P72SOwD7Qf6/dP3FR0M//4ABRXiAwQA5gEJAAkN' +
  'GOoDCBEC/Pnc+vwI9gj0AfDvK94TDPkIAx0QFgwG/Af9FwbwA/8V6gAD/5wY7PkMBgfvCwnyEw4CBgwb/vj1/gA+9wcd' +
  'EfMA/Pv0DPEA/wr09fsTGA0DEQMA5PoT/9L6/h/0FhD0/AIABhMR'

/** The `fp32` reference embedding: 384 signed bytes, scaled so that the largest is 127. */
export const goldenFp32 =
  '2v/rBhfo+u4KAgn2FA0L9vzv/AMOAfng7x339vrTCOQO8gkR9gX0CwwT9Q/+/ewT8PD69gb+CwT/IwECDgDlHgMP8/UL' +
  'AugSAB0F/xgAEhMN7fj7//UFEx0C6/UCDwYO/QLkf+8KCAQP+fbpAuwA7/v8DAbmCvoCAgsIBfQE/hXwHBEQ6PsJAgsC' +
  '9wbs7wHo+B4PG+z3+Ar56fECEgsd++D/8Aj6vwL67QECDvgC/vPk+BQHAf/qEfryBPsM7/4R5P4EBggIC//1FvcL9ez1' +
  '/wcC+/4G/+fu+g0IFPXtApoP9wL15vjsEhkk+Qr/8wwK/fjz+f0H9f34RO0D7gf6/db3FxoKAP8ABxTkAAMA5wEIAQkN' +
  'FusCBhEE/Pre+/4J9wj0APTvKeIRC/oHBBsOFg4G/Af8FQTxA/4V7AAC/50U8fkLBgbuCAr0FA8EBAob/vn1/wE99gkc' +
  'EfQC/Pr2DfD/AQr09vwTFw0EDwQA4/oTANX7/Rz2FA/0/AABBRMO'
