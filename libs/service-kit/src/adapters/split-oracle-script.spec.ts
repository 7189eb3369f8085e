import { splitOracleScript } from './split-oracle-script.js';

describe('splitOracleScript', () => {
  it('splits at lines that hold only a slash, and takes the semicolon from SQL', () => {
    const script =
      '-- safe: online\nCREATE TABLE a (id NUMBER);\n/\n  CREATE INDEX i ON a (id)\n / \nDROP TABLE b ;\n';
    expect(splitOracleScript(script)).toEqual([
      '-- safe: online\nCREATE TABLE a (id NUMBER)',
      'CREATE INDEX i ON a (id)',
      'DROP TABLE b',
    ]);
  });

  it.each([
    'BEGIN\n  NULL;\nEND;',
    'declare x number; begin null; end;',
    'CREATE OR REPLACE PACKAGE BODY p AS\n  PROCEDURE a IS BEGIN NULL; END;\nEND p;',
    'create or replace editionable trigger t before insert on a for each row begin null; end;',
    'CREATE TYPE ids AS TABLE OF NUMBER;',
    '/* why */ -- and how\nCREATE FUNCTION f RETURN NUMBER IS BEGIN RETURN 1; END;',
  ])('leaves its semicolon to PL/SQL: %s', (statement) => {
    expect(splitOracleScript(`${statement}\n/\n`)).toEqual([statement]);
  });

  it('does not split at a slash inside of a line', () => {
    expect(splitOracleScript('SELECT 4 / 2 FROM dual;\n/\nSELECT 1 FROM dual')).toEqual([
      'SELECT 4 / 2 FROM dual',
      'SELECT 1 FROM dual',
    ]);
  });

  it('drops parts that hold only comments, and works with Windows line endings', () => {
    expect(splitOracleScript('-- safe: online\r\n/\r\nDROP TABLE a;\r\n/\r\n/* end */\r\n')).toEqual([
      'DROP TABLE a',
    ]);
  });

  it('is not fooled by a table that is called like a word of PL/SQL', () => {
    expect(splitOracleScript('CREATE TABLE package_log (id NUMBER);\n/')).toEqual([
      'CREATE TABLE package_log (id NUMBER)',
    ]);
  });
});
