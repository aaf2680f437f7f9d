import { expect, test } from 'bun:test'
import { outlineJava } from '../../../src/api/java/java.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

const text = `/** Lights. */
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
    default int x() { return 1; } private int y() { return 1; } }
  private static class Hidden { public int z; }
}
/**
 * A point.
 * @param x across
 */
public record Point(@NonNull int x, int y) implements Z {
  public static Point of() { return null; } }
public @interface Marker { Class<?> value() default Void.class; }
class Base<T> { public void burn() {} }
`

test('reads types with their public and protected members', () => {
  const { packageName, documentation, symbols, exported } = outlineJava(text)
  expect([packageName, documentation]).toEqual(['com.acme.lamp', 'Lights.'])
  expect(exported!.map(({ name }) => name)).toEqual(['Lamp', 'Point', 'Marker'])
  const [lamp, point, marker] = symbols
  expect(lamp).toMatchObject({
    kind: 'class',
    line: 6,
    deprecated: '',
    signature:
      '@Beta public abstract class Lamp<T extends Comparable<T>> extends Base<T> ' +
      'implements Light, a.b.Foo<T>',
    bases: ['Base', 'Light', 'a.b.Foo'],
  })
  expect(lamp!.members.map((it) => [it.kind, it.name, it.signature])).toEqual([
    ['value', 'MOST', 'public static final int MOST = 3'],
    ['value', 'a', 'protected int a'],
    ['value', 'b', 'protected int b = 2'],
    ['method', 'Lamp', 'public Lamp(@Nullable String wick, int... more) throws IOException'],
    [
      'method',
      'on',
      'public abstract <R> R on(Function<? super T, R> f)\npublic void on(int seconds)',
    ],
    ['method', 'off', 'protected final void off()'],
    ['method', 'with', 'public Lamp with(Object to)'],
    ['enum', 'State', 'public enum State'],
    ['interface', 'Listener', 'public interface Listener'],
  ])
  expect(point!.signature).toBe('public record Point(@NonNull int x, int y) implements Z')
  expect(point!.members.map((it) => [it.name, it.signature, it.documentation])).toEqual([
    ['x', '@NonNull int x', 'across'],
    ['y', 'int y', ''],
    ['of', 'public static Point of()', ''],
  ])
  expect(marker!.members.map((it) => it.signature)).toEqual(['Class<?> value() default Void.class'])
})

test('joins the documentation of overloads under their signatures', () => {
  const members = outlineJava(text).symbols[0]!.members
  const on = members.find(({ name }) => name === 'on')!
  expect(on.documentation).toBe('Lights it.\n\n**`on(int seconds)`**\n\nLights it later.')
  expect(members.find(({ name }) => name === 'off')!.deprecated).toBe('use on')
})

test('reads constants of enumerations and members of interfaces', () => {
  const inner = outlineJava(text).symbols[0]!.members.slice(-2)
  expect(inner.map(({ members }) => members.map(({ name }) => name))).toEqual([
    ['ON', 'OFF', 'level'],
    ['MOST', 'onLight', 'x'],
  ])
})

test('parses deep and broken input in bounded time', () => {
  const start = usedCpuMs()
  for (const one of [
    'class A {'.repeat(5000),
    '/** {@'.repeat(30_000),
    'public '.repeat(100_000),
  ]) {
    expect(outlineJava(one).symbols).toBeArray()
  }
  expect(usedCpuMs() - start).toBeLessThan(15_000)
})
