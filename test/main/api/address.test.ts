import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../main/api/address.ts';
import { problemOf } from '../../../main/platform/problem-error.ts';

describe('an address', () => {
  it.each([
    ['backup.example.com', 'https://backup.example.com:5656'],
    ['backup.example.com:8443', 'https://backup.example.com:8443'],
    ['https://backup.example.com', 'https://backup.example.com'],
    [' https://Backup.Example.com/api/v1/ ', 'https://backup.example.com'],
    ['https://example.com/strongroom/api/v1', 'https://example.com/strongroom'],
    ['http://127.0.0.1:4000/api/v1', 'http://127.0.0.1:4000'],
    ['http://localhost:4000', 'http://localhost:4000'],
    ['[2001:db8::1]:5656', 'https://[2001:db8::1]:5656'],
    ['192.0.2.7', 'https://192.0.2.7:5656'],
  ])('%s is read as %s', (text, address) => {
    expect(parseAddress(text)).toBe(address);
  });

  it.each([
    'http://backup.example.com',
    'ftp://backup.example.com',
    'file:///etc/passwd',
    'javascript:alert(1)//',
    'https://admin:secret@backup.example.com',
    'https://backup.example.com/?x=1',
    'https://backup.example.com/#x',
    'https://',
    'a b',
    '',
  ])('%s is refused with a reason at the field', (text) => {
    let problem: ReturnType<typeof problemOf>;
    try {
      parseAddress(text);
    } catch (error) {
      problem = problemOf(error);
    }
    expect(problem?.errors?.address).toMatch(/must|is not/);
  });
});
