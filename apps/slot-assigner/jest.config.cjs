module.exports = { ...require('../../jest.preset.cjs'), displayName: 'slot-assigner' };
