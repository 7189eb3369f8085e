module.exports = { ...require('../../jest.preset.cjs'), displayName: 'exec-worker' };
