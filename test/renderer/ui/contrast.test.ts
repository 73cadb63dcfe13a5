import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const css = readFileSync(join(import.meta.dirname, '../../../renderer/ui/tokens.css'), 'utf8');

/** The custom properties of the block that begins with this selector. */
function tokensOf(selector: string): ReadonlyMap<string, string> {
  const start = css.indexOf(`${selector} {`);
  const block = css.slice(start, css.indexOf('}', start));
  return new Map(
    [...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map((match) => [match[1] ?? '', match[2] ?? '']),
  );
}

/** Relative luminance as WCAG 2 defines it. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const surfaces = ['bg', 'bg-raised', 'bg-sunken', 'bg-selected'];
const meanings = ['ok', 'running', 'warning', 'error', 'idle'];
const textPairs = [
  ...['text', 'text-muted', ...meanings].flatMap((ink) => surfaces.map((on) => [ink, on, 4.5] as const)),
  ...meanings.map((meaning) => [meaning, `${meaning}-soft`, 4.5] as const),
  ...['bg', 'bg-raised', 'bg-sunken'].map((on) => ['accent', on, 4.5] as const),
  ...['accent', 'accent-strong'].map((on) => ['on-accent', on, 4.5] as const),
  ['text', 'idle-soft', 4.5] as const,
  ...['bg', 'bg-raised'].map((on) => ['border-strong', on, 3] as const),
];

test('the computation knows black on white', () => {
  expect(contrast('#000000', '#ffffff')).toBe(21);
});

describe.each([
  ['light', ':root'],
  ['dark', ":root[data-theme='dark']"],
])('the %s set', (_name, selector) => {
  const tokens = tokensOf(selector);
  test.each(textPairs)('%s is readable on %s (%d : 1)', (ink, on, least) => {
    const [inkColour, onColour] = [tokens.get(ink), tokens.get(on)];
    expect(inkColour, ink).toBeDefined();
    expect(onColour, on).toBeDefined();
    expect(contrast(inkColour ?? '', onColour ?? '')).toBeGreaterThanOrEqual(least);
  });
});
