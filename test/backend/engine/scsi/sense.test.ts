import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromErrorData, toDeviceError, toErrorData } from '../../../../backend/engine/device-error.ts';
import { decodeSense } from '../../../../backend/engine/scsi/sense.ts';
import { describeSense, senseError, senseOf } from '../../../../backend/engine/scsi/sense-words.ts';

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const decode = (hex: string) => {
  const sense = decodeSense(bytesOf(hex));
  if (sense === null) throw new Error('no sense data');
  return sense;
};

describe('sense data', () => {
  it('of a filemark in the fixed format, as tgtd sends them', () => {
    expect(decode('f0 00 80 00 00 02 00 0a 00000000 00 01 0000 0000')).toEqual({
      deferred: false,
      key: 0,
      asc: 0,
      ascq: 1,
      filemark: true,
      endOfMedium: false,
      incorrectLength: false,
      information: 512,
    });
  });

  it('of a block that is longer than asked for: the difference is negative', () => {
    expect(decode('f0 00 20 ff ff fc 18 0a 00000000 00 00 0000 0000')).toMatchObject({
      incorrectLength: true,
      information: -1000,
    });
  });

  it('in the descriptor format say the same', () => {
    // Information (type 0), then a vendor's own (type 80h), then the bits of stream commands (type 4).
    const sense = decode('72 00 00 01 00 00 00 14  00 0a 80 00 fffffffffffffc18  80 02 0000  04 02 00 e0');
    expect(sense).toMatchObject({
      key: 0,
      ascq: 1,
      filemark: true,
      endOfMedium: true,
      incorrectLength: true,
      information: -1000,
    });
  });

  it('tell when they are about an earlier command', () => {
    expect([
      decode('71 00 03 00000000 0a 00000000 0c 00 0000').deferred,
      decode('73 03 0c 00').deferred,
    ]).toEqual([true, true]);
  });

  it('leave out what the device says means nothing', () => {
    expect(decode('70 00 05 12345678 0a 00000000 20 00 0000 0000').information).toBeNull();
    expect(decode('72 05 20 00 000000 0c 00 0a 00 00 0000000012345678').information).toBeNull();
  });

  it('that are cut off or none at all are read as far as they go', () => {
    expect(decodeSense(bytesOf('70 00 03'))).toMatchObject({ key: 3, asc: 0 });
    expect(decodeSense(bytesOf(''))).toBeNull();
    expect(decodeSense(bytesOf('70'))).toBeNull();
    expect(decodeSense(bytesOf('00 00 00 00 00'))).toBeNull();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const sense = decodeSense(bytes);
        if (sense !== null) expect(describeSense(sense)).toMatch(/\([0-9A-F]\/[0-9A-F]{2}\/[0-9A-F]{2}\)$/);
      }),
    );
  });

  it.each([
    ['70 00 02 00000000 0a 00000000 3a 00', 'notFound', 'there is no cartridge in the drive (2/3A/00)'],
    ['70 00 02 00000000 0a 00000000 04 01', 'busy', 'becoming ready (2/04/01)'],
    ['70 00 03 00000000 0a 00000000 11 00', 'corrupt', 'medium error: reading failed (3/11/00)'],
    ['70 00 04 00000000 0a 00000000 15 01', 'permanent', 'mechanical positioning error (4/15/01)'],
    ['70 00 05 00000000 0a 00000000 3b 0e', 'busy', 'the source place is empty (5/3B/0E)'],
    ['70 00 05 00000000 0a 00000000 53 02', 'busy', 'unload it first (5/53/02)'],
    ['70 00 05 00000000 0a 00000000 20 00', 'permanent', 'does not know this command (5/20/00)'],
    ['70 00 06 00000000 0a 00000000 29 00', 'transient', 'was reset or has started (6/29/00)'],
    ['70 00 07 00000000 0a 00000000 27 00', 'permission', 'write-protected (7/27/00)'],
    ['70 00 0d 00000000 0a 00000000 00 02', 'noSpace', 'the end of the tape is near or reached (D/00/02)'],
    ['71 00 03 00000000 0a 00000000 0c 00', 'permanent', 'an earlier command failed: medium error'],
  ])('%s are a failure of the kind %s with words', (hex, kind, words) => {
    const error = senseError('drive', decode(hex));
    expect(error).toMatchObject({ kind, message: expect.stringContaining(words) });
    expect(senseOf(error)).toEqual(decode(hex));
  });

  it('of write protection are told from a right that this server lacks, also behind a thread', () => {
    const protectedTape = senseError('drive', decode('70 00 07 00000000 0a 00000000 27 00'));
    const lacksRight = toDeviceError(Object.assign(new Error('no'), { code: 'EROFS' }), 'drive');
    const marks = [protectedTape, lacksRight].map((error) => {
      const { kind, isWriteProtected } = fromErrorData(toErrorData(error));
      return { kind, isWriteProtected };
    });
    expect(marks).toEqual([
      { kind: 'permission', isWriteProtected: true },
      { kind: 'permission', isWriteProtected: false },
    ]);
  });
});
