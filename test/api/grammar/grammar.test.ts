import { expect, test } from 'bun:test'
import { loadGrammar, type GrammarName } from '../../../src/api/grammar/grammar.ts'
import type { ApiSymbol, FileOutline } from '../../../src/api/symbol.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

/** The symbols as lines: name, signature and documentation, with members indented. */
async function check(language: GrammarName, text: string, expected: string[]): Promise<void> {
  const outline = await loadGrammar(language)
  expect(outlineLines(outline(text), '')).toEqual(expected)
}

function outlineLines({ symbols, modules = [] }: FileOutline, indent: string): string[] {
  const lines = symbols.flatMap((it) => symbolLines(it, indent))
  const inner = modules.flatMap(({ name, documentation, outline }) => [
    `${indent}${name}: ${documentation}`,
    ...(outline === null ? [] : outlineLines(outline, `${indent}  `)),
  ])
  return [...lines, ...inner]
}

function symbolLines(symbol: ApiSymbol, indent: string): string[] {
  const { name, signature, documentation, members, deprecated, since } = symbol
  const comments = [documentation, deprecated, since].filter((it) => it !== null && it !== '')
  const line = [`${name}: ${signature}`, ...comments].join(' | ').replaceAll('\n', ' ')
  return [indent + line, ...members.flatMap((it) => symbolLines(it, `${indent}  `))]
}

test('reads functions, types and macros of a C header', async () => {
  const header = `/* Licence */

#ifndef LAMP_H
#define LAMP_H
#ifdef __cplusplus
extern "C" {
#endif
/** A lamp. */
typedef struct lamp_s {
  int power; /**< In watts. */
  void (*on)(int); ///< Called later.
} lamp;
enum { OFF, /* Dark. */ ON };
typedef enum color { RED = 1, GREEN } color;
typedef void (*lamp_callback)(lamp *it, int level);
/// Lights it.
/// \\param[in] it the lamp
/// @return 0 if it works
LAMP_API int LAMP_CALL lamp_on(lamp *it);
#define LAMP_MAX 3 /**< Most lamps. */
#define LAMP_LESS(a, b) ((a) < (b))
static inline int lamp_add(int a, int b) { int c = a; return b + c; }
#ifdef __cplusplus
}
#endif
#endif`
  await check('c', header, [
    'lamp: typedef struct lamp_s lamp | A lamp.',
    '  power: int power | In watts.',
    '  on: void (*on)(int) | Called later.',
    'OFF: OFF | Dark.',
    'ON: ON',
    'color: typedef enum color color',
    '  RED: RED = 1',
    '  GREEN: GREEN',
    'lamp_callback: typedef void (*lamp_callback)(lamp *it, int level)',
    'lamp_on: int lamp_on(lamp *it) | Lights it.  **Parameters**  - `it`: the lamp  **Returns**: 0 if it works',
    'LAMP_MAX: #define LAMP_MAX 3 | Most lamps.',
    'LAMP_LESS: #define LAMP_LESS(a, b)',
    'lamp_add: int lamp_add(int a, int b)',
  ])
})

test('attaches plain comments above, below and inside declarations', async () => {
  const header = `/* Opens it. */
int lamp_open(void);
int lamp_open_v2(int flags);

int lamp_close(void);
/*
     Closes it.
*/

/*
API int CALL lamp_init OF((int level));

     Sets it up.
*/

/* Unrelated. */


int lamp_other(void);`
  await check('c', header, [
    'lamp_open: int lamp_open(void) | Opens it.',
    'lamp_open_v2: int lamp_open_v2(int flags) | Opens it.  See `lamp_open`.',
    'lamp_close: int lamp_close(void) | Closes it.',
    'lamp_init: int lamp_init(int level) | Sets it up.',
    'lamp_other: int lamp_other(void)',
  ])
})

test('reads public modules, functions, types and callbacks of Elixir', async () => {
  const source = `defmodule Acme.Lamp do
  @moduledoc """
  Lamps.
  """
  @typedoc "A lamp"
  @type t :: %__MODULE__{power: integer}
  @typep secret :: atom
  @doc since: "1.2.0"
  @doc ~S"""
  Lights it, see \`c:start/1\`.
  """
  @deprecated "Use light/1"
  @spec on(t, atom) :: t
  def on(lamp, how \\\\ :fast)
  def on(lamp, how) when is_atom(how), do: lamp
  @doc false
  def internal(a), do: a
  def internal(b), do: b
  @impl true
  def init(x), do: x
  defp private(x), do: x
  @doc "Starts"
  @callback start(keyword) :: {:ok, t}
  defmacro from(expr) do
    quote do
      def inner, do: 1
    end
  end
  defmodule Bulb do
    defdelegate glow(a), to: Other
  end
  defmodule Hidden do
    @moduledoc false
    def a, do: 1
  end
end
defimpl Inspect, for: Acme.Lamp do
  def inspect(a, b), do: a
end`
  await check('elixir', source, [
    'Acme.Lamp: Lamps.',
    '  t: @type t :: %__MODULE__{power: integer} | A lamp',
    '  on: on(lamp, how \\\\ :fast) @spec on(t, atom) :: t | Lights it, see `start/1`. | Use light/1 | 1.2.0',
    '  start: @callback start(keyword) :: {:ok, t} | Starts',
    '  from: defmacro from(expr)',
    '  Bulb: ',
    '    glow: glow(a)',
  ])
})

test('reads the public types of C#, with overloads', async () => {
  const source = `namespace Acme;
/// <summary>A lamp.</summary>
[Obsolete("Use Light.")]
public sealed class Lamp : Base
{
    /// <summary>Lights it.</summary>
    /// <param name="level">See <see cref="Level"/>.</param>
    public int On(int level) => 3;
    /// <summary>Lights it twice.</summary>
    public int On(int level, int more) { return 1; }
    private int secret;
    /// <summary>Not shown.</summary>
    int hidden() { return 1; }
    public int Size { get; private set; }
#if NET8
    public void Ok() { }
#else
    public void Ok() { Old(); }
#endif
    public enum Color
    {
        /// <summary>Red.</summary>
        Red = 1,
        Green
    }
}
internal class Secret { public void Shown() { } }
public interface ILamp { void Off(); }`
  await check('csharp', source, [
    'Lamp: public sealed class Lamp : Base | A lamp. | Use Light.',
    '  On: public int On(int level) public int On(int level, int more) | Lights it.  **Parameters**  - `level`: See `Level`.  **`On(int level, int more)`**  Lights it twice.',
    '  Size: public int Size { get; private set; }',
    '  Ok: public void Ok()',
    '  Color: public enum Color',
    '    Red: Red = 1 | Red.',
    '    Green: Green',
    'ILamp: public interface ILamp',
    '  Off: void Off()',
  ])
})

test('reads public modules, classes, methods and constants of Ruby', async () => {
  const source = `# frozen_string_literal: true

# Lamps.
module Acme #:nodoc:
  # Most watts.
  MOST = 'http://x'
  # @api private
  SECRET = 1
  # A lamp.
  class Lamp < Base
    include Comparable
    # Its power.
    attr_reader :power
    alias_method :glow, :on
    # Makes one.
    def initialize(power, *rest, deep: 1)
      # inner
      @power = power
    end
    # Lights it.
    # @param how [Symbol] slowly
    #   or fast
    # @return [Boolean] true
    def on(how = :fast); end
    def hidden; end # :nodoc:
    def self.make(x) = new(x)
    class << self
      def build; end
      private
      def secret; end
    end
    def ==(other); end
    private def two; end
    def three; end
    private :three
    Size = Struct.new(:a) do
      def area; end
    end
    private
    attr_writer :x
    def four; end
  end
  def helper; end
end`
  await check('ruby', source, [
    'Acme: Lamps.',
    "  MOST: MOST = 'http://x' | Most watts.",
    '  Lamp: class Lamp < Base | A lamp.',
    '    power: attr_reader :power | Its power.',
    '    glow: alias_method :glow, :on',
    '    new: def initialize(power, *rest, deep: 1) | Makes one.',
    '    on: def on(how = :fast) | Lights it.  **Parameters**  - `how` (`Symbol`): slowly     or fast  **Returns** (`Boolean`): true',
    '    make: def self.make(x)',
    '    build: def build',
    '    ==: def ==(other)',
    '    Size: Size = Struct.new(:a)',
    '      area: def area',
    '  helper: def helper',
  ])
})

test('reads the public types, functions and constants of PHP', async () => {
  const source = `<?php
namespace Acme\\Lamp;
use Foo\\Bar;
/** Most watts. */
const MOST = 1;
/** A lamp. */
#[Attribute]
final class Lamp extends Base implements Light {
    use Glowing;
    public const A = 1, B = 2;
    private ?int $secret = 3;
    /** @var int Watts. */
    public static $power;
    /**
     * Lights it.
     * @param array{a: int} $how slowly
     * @return $this
     * @throws LampError without {@see Oil}
     */
    public function on(array $how, string ...$rest): static { return $this; }
    abstract protected function off(): ?int;
    private function hidden() {}
    /** @internal */
    public function internal() {}
}
enum Color: string { case Red = 'r'; }
if (!function_exists('helper')) {
    function helper(int $x): int { return 1; }
}`
  await check('php', source, [
    'MOST: const MOST = 1 | Most watts.',
    'Lamp: final class Lamp extends Base implements Light | A lamp.',
    '  A: public const A = 1, B = 2',
    '  B: public const A = 1, B = 2',
    '  $power: public static $power | Type: `int`. Watts.',
    '  on: public function on(array $how, string ...$rest): static | Lights it.  **Parameters**  - `$how` (`array{a: int}`): slowly  **Returns** (`$this`)  **Raises**  - (`LampError`): without `Oil`',
    '  off: abstract protected function off(): ?int',
    'Color: enum Color: string',
    "  Red: case Red = 'r'",
    'helper: function helper(int $x): int',
  ])
})

test('reads public and protected declarations of Java', async () => {
  const source = `/** Lights. */
package com.acme.lamp;
import java.util.List;
/** A lamp. @see Wick */
@Deprecated(since = "2") @Beta
public abstract class Lamp<T extends Comparable<T>> extends Base<T> implements Light, a.b.Foo<T> {
  /** Most. */
  public static final int MOST = 3;
  protected int a, b = 2; // both
  private int c;
  Lamp(int hidden) {}
  /**
   * Makes one.
   * @param wick its wick
   */
  public Lamp(@Nullable String wick, @Size(min = 1) int... more) throws IOException {}
  /** Lights it. */
  public abstract <R> R on(Function<? super T, R> f);
  /** Lights it later. */
  public void on(int seconds) { if (x == Lamp.class) {} }
  /** @deprecated use on */
  @Override protected final void off() {}
  public Lamp with(Object to) { return to.with(Oil.class); }
  public enum State { /** Lit. */ ON, OFF(1) { void x() {} };
    State() {} public int level() { return 1; } }
  public interface Listener { int MOST = 1; void onLight(Lamp l);
    default int x() { return 1; } private int y() { return 1; } class In {} }
  private static class Hidden { public int z; }
}
/// A *point*.
/// @param x across
public record Point(@NonNull int x, int y) implements Z {
  public static Point of() { return null; } }
public @interface Marker { Class<?> value() default Void.class; }
class Base<T> { public void burn() {} }`
  await check('java', source, [
    'Lamp: @Beta public abstract class Lamp<T extends Comparable<T>> extends Base<T> implements Light, a.b.Foo<T> | A lamp. @see Wick',
    '  MOST: public static final int MOST = 3 | Most.',
    '  a: protected int a, b = 2',
    '  b: protected int a, b = 2',
    '  Lamp: public Lamp(@Nullable String wick, int... more) throws IOException | Makes one.  **Parameters**  - `wick`: its wick',
    '  on: public abstract <R> R on(Function<? super T, R> f) public void on(int seconds) | Lights it.  **`on(int seconds)`**  Lights it later.',
    '  off: protected final void off() | use on',
    '  with: public Lamp with(Object to)',
    '  State: public enum State',
    '    ON: ON | Lit.',
    '    OFF: OFF',
    '    level: public int level()',
    '  Listener: public interface Listener',
    '    MOST: int MOST = 1',
    '    onLight: void onLight(Lamp l)',
    '    x: default int x()',
    '    In: class In',
    'Point: public record Point(@NonNull int x, int y) implements Z | A *point*.  **Parameters**  - `x`: across',
    '  x: @NonNull int x',
    '  y: int y',
    '  of: public static Point of()',
    'Marker: public @interface Marker',
    '  value: Class<?> value() default Void.class',
    'Base: class Base<T>',
    '  burn: public void burn()',
  ])
  const outline = (await loadGrammar('java'))(source)
  expect([outline.packageName, outline.documentation]).toEqual(['com.acme.lamp', 'Lights.'])
  expect(outline.exported!.map(({ name }) => name)).toEqual(['Lamp', 'Point', 'Marker'])
  expect(outline.symbols[0]).toMatchObject({ bases: ['Base', 'Light', 'a.b.Foo'], deprecated: '' })
})

test('parses deep and broken input in bounded time', async () => {
  for (const language of ['java', 'csharp', 'php', 'c', 'ruby', 'elixir'] as const) {
    const outline = await loadGrammar(language)
    const start = usedCpuMs()
    for (const one of ['class A {'.repeat(2000), '/** {@'.repeat(10_000), 'public '.repeat(10_000)])
      expect(outline(one).symbols).toBeArray()
    expect(usedCpuMs() - start).toBeLessThan(8000)
  }
})
