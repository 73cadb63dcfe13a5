import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPduReader, encodePdu, newHeader } from '../../../../backend/engine/scsi/iscsi/pdu.ts';
import { decodeText, encodeText } from '../../../../backend/engine/scsi/iscsi/text.ts';

describe('the PDU reader', () => {
  const pduOf = (code: number, data: Uint8Array): Buffer =>
    Buffer.concat([...encodePdu(newHeader(code, 0), data)]);
  const codes = [0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x31, 0x32, 0x3f];

  it('gives the same PDUs however the stream is cut', () => {
    const pdus = fc.array(fc.tuple(fc.constantFrom(...codes), fc.uint8Array({ maxLength: 300 })), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(pdus, fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }), (list, cuts) => {
        const stream = Buffer.concat(list.map(([code, data]) => pduOf(code, data)));
        const reader = createPduReader(512);
        const got: [number, number[]][] = [];
        for (let at = 0, cut = 0; at < stream.length; cut += 1) {
          const size = cuts[cut % cuts.length] ?? 1;
          reader.push(stream.subarray(at, at + size));
          at += size;
          for (let pdu = reader.next(); pdu !== null; pdu = reader.next())
            got.push([pdu.opcode, [...pdu.data]]);
        }
        expect(got).toEqual(list.map(([code, data]) => [code, [...data]]));
        expect(reader.heldBytes).toBe(0);
      }),
    );
  });

  it('keeps long PDUs as they are until they are given out, and three more after, however many come at once', () => {
    const mark = (pdu: number): Buffer => pduOf(0x25, Buffer.alloc(65_536, pdu));
    for (const atOnce of [1, 5, 9]) {
      const stream = Buffer.concat(Array.from({ length: 9 }, (_, pdu) => mark(pdu + 1)));
      const reader = createPduReader(262_144);
      const got: Buffer[] = [];
      // Cut in the middle, so that one is always begun beside those that are whole.
      const bytes = atOnce * 65_584 - (atOnce === 9 ? 0 : 100);
      for (let at = 0; at < stream.length; at += bytes) {
        reader.push(stream.subarray(at, at + bytes));
        for (let pdu = reader.next(); pdu !== null; pdu = reader.next()) {
          got.push(pdu.data);
          for (const [back, data] of got.slice(-4).reverse().entries()) {
            expect(data.equals(Buffer.alloc(65_536, got.length - back))).toBe(true);
          }
        }
      }
      expect(got).toHaveLength(9);
    }
  });

  it('takes any bytes without another failure than its own, and waits for no more than is allowed', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 10 }), (chunks) => {
        const reader = createPduReader(1024);
        try {
          for (const chunk of chunks) {
            reader.push(Buffer.from(chunk));
            for (let pdu = reader.next(); pdu !== null; pdu = reader.next()) {
              expect(pdu.data.length).toBeLessThanOrEqual(1024);
            }
          }
          expect(reader.heldBytes).toBeLessThan(48 + 255 * 4 + 1024);
        } catch (error) {
          expect(error).toMatchObject({ kind: 'corrupt' });
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('gives back every text, and refuses what is none', () => {
    const key = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,20}$/);
    const value = fc.stringMatching(/^[ -~]{0,40}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(key, value)), (pairs) => {
        expect(decodeText(encodeText(pairs))).toEqual(pairs);
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decodeText(Buffer.from(bytes));
        } catch (error) {
          expect(error).toMatchObject({ kind: 'corrupt' });
        }
      }),
    );
  });
});
